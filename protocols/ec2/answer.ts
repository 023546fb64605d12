import { CreateFleet$ } from '@aws-sdk/client-ec2';
import type { CreateFleetError, CreateFleetResult } from '@aws-sdk/client-ec2';
import { XmlShapeDeserializer } from '@aws-sdk/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import { z } from 'zod';
import type { NamedOffering } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';

/** EC2's error code for an offering without capacity. */
const NO_CAPACITY = 'InsufficientInstanceCapacity';
/** The schema of any XML document, as plain objects. */
const DOCUMENT = 15;
const errorShape = z.object({ Errors: z.object({ Error: z.object({ Code: z.string(), Message: z.string().optional() }) }) });

/** What the history records about an answer. */
interface Ec2AnswerNote {
  readonly code?: string;
  readonly note?: string;
  readonly refused?: readonly NamedOffering[];
}

/** An answer with its whole body, and if it is known what a client reads from that. */
interface Ec2Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly decoded?: object;
}

const utf8 = new TextDecoder();

/**
 * Code and message of an error answer. For a fleet: its instances, the codes of its errors, and the offerings without capacity that
 * these name. For an error that is not XML (a proxy's page), the message is the body.
 * @param name of the operation, e.g. `ec2:CreateFleet`
 */
export function describeEc2Answer(name: string, answer: Ec2Answer): Ec2AnswerNote {
  const { status, decoded } = answer;
  if (status < 400 && name !== 'ec2:CreateFleet') return {};
  if (status < 400 && decoded !== undefined) return describeFleet(decoded);
  const body = typeof answer.body === 'string' ? answer.body : utf8.decode(answer.body);
  const xml = new XmlShapeDeserializer({
    timestampFormat: { useTrait: true, default: 5 },
    httpBindings: false,
    xmlNamespace: '',
    serviceNamespace: '',
  });
  try {
    return status < 400
      ? describeFleet(xml.read(NormalizedSchema.of(CreateFleet$[5]), body) as CreateFleetResult)
      : describeError(xml.read(DOCUMENT, body), body);
  } catch {
    return status < 400 ? {} : { note: body };
  }
}

function describeError(document: unknown, body: string): { readonly code?: string; readonly note?: string } {
  const parsed = errorShape.safeParse(document);
  if (!parsed.success) return { note: body };
  const { Code: code, Message: note } = parsed.data.Errors.Error;
  return { code, ...defined({ note }) };
}

function describeFleet({ Instances = [], Errors = [] }: CreateFleetResult): Ec2AnswerNote {
  const ids = Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
  const codes = Errors.flatMap(({ ErrorCode }) => (ErrorCode === undefined ? [] : [ErrorCode]));
  const errors = codes.length === 0 ? '' : `, errors: ${[...new Set(codes)].join(', ')} (${codes.length})`;
  const refused = Errors.filter(({ ErrorCode }) => ErrorCode === NO_CAPACITY).flatMap(namedBy);
  return {
    note: `instances: ${ids.length === 0 ? 'none' : [...new Set(ids)].join(', ')}${errors}`,
    ...(refused.length === 0 ? {} : { refused }),
  };
}

/** The offering that an error names; empty if it does not name a type and a place. */
function namedBy({ LaunchTemplateAndOverrides, Lifecycle }: CreateFleetError): NamedOffering[] {
  const { InstanceType: instanceType, AvailabilityZone: zone, SubnetId: subnet } = LaunchTemplateAndOverrides?.Overrides ?? {};
  if (instanceType === undefined || (zone === undefined && subnet === undefined)) return [];
  return [
    {
      instanceType,
      ...defined({ zone, subnet }),
      ...(Lifecycle === 'spot' || Lifecycle === 'on-demand' ? { capacityType: Lifecycle } : {}),
    },
  ];
}

import { CreateFleet$ } from '@aws-sdk/client-ec2';
import type { CreateFleetResult } from '@aws-sdk/client-ec2';
import { XmlShapeDeserializer } from '@aws-sdk/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import { z } from 'zod';

/** The schema of whatever XML, as plain objects. */
const DOCUMENT = 15;
const errorShape = z.object({ Errors: z.object({ Error: z.object({ Code: z.string(), Message: z.string().optional() }) }) });

/**
 * Code and message of an error answer; of a fleet its instances, and the codes of the errors beside them. An error that is
 * no XML (a proxy's page) is its own message.
 * @param name of the operation, e.g. `ec2:CreateFleet`
 */
export function describeEc2Answer(name: string, status: number, body: string): { readonly code?: string; readonly note?: string } {
  if (status < 400 && name !== 'ec2:CreateFleet') return {};
  const xml = new XmlShapeDeserializer({
    timestampFormat: { useTrait: true, default: 5 },
    httpBindings: false,
    xmlNamespace: '',
    serviceNamespace: '',
  });
  try {
    return status < 400
      ? { note: describeFleet(xml.read(NormalizedSchema.of(CreateFleet$[5]), body) as CreateFleetResult) }
      : describeError(xml.read(DOCUMENT, body), body);
  } catch {
    return status < 400 ? {} : { note: body };
  }
}

function describeError(document: unknown, body: string): { readonly code?: string; readonly note?: string } {
  const parsed = errorShape.safeParse(document);
  if (!parsed.success) return { note: body };
  const { Code: code, Message: note } = parsed.data.Errors.Error;
  return { code, ...(note === undefined ? {} : { note }) };
}

function describeFleet({ Instances = [], Errors = [] }: CreateFleetResult): string {
  const ids = Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
  const codes = Errors.flatMap(({ ErrorCode }) => (ErrorCode === undefined ? [] : [ErrorCode]));
  const errors = codes.length === 0 ? '' : `, errors: ${[...new Set(codes)].join(', ')} (${codes.length})`;
  return `instances: ${ids.length === 0 ? 'none' : [...new Set(ids)].join(', ')}${errors}`;
}

import type {
  InstanceMetadataOptionsRequest,
  ModifyInstanceMetadataOptionsRequest,
  ModifyInstanceMetadataOptionsResult,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal, invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { findInstances } from '../instance-view.ts';
import { metadataOptionsOf } from '../metadata-options.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';

const HOPS = { min: 1, max: 64 };
const ALLOWED = {
  HttpTokens: ['optional', 'required'],
  HttpEndpoint: ['enabled', 'disabled'],
  HttpProtocolIpv6: ['enabled', 'disabled'],
  InstanceMetadataTags: ['enabled', 'disabled'],
} as const satisfies Partial<Record<keyof InstanceMetadataOptionsRequest, readonly string[]>>;

/** Changes the options of an instance's metadata service; the answer shows them as pending. Nothing here asks that service. */
export function modifyInstanceMetadataOptions(account: Account, request: ModifyInstanceMetadataOptionsRequest, { span }: Caller): Outcome {
  const { InstanceId: id, HttpTokens, HttpEndpoint, HttpProtocolIpv6, InstanceMetadataTags, HttpPutResponseHopLimit: hops } = request;
  if (id === undefined) throw missingParameter('InstanceId');
  const changes = defined({ HttpTokens, HttpEndpoint, HttpProtocolIpv6, InstanceMetadataTags, HttpPutResponseHopLimit: hops });
  if (Object.keys(changes).length === 0) {
    throw new Ec2Refusal('InvalidParameterCombination', 'You must specify one or more of the instance metadata options.');
  }
  for (const [name, allowed] of Object.entries(ALLOWED)) {
    const given = request[name as keyof typeof ALLOWED];
    if (given !== undefined && !(allowed as readonly string[]).includes(given)) throw invalidValue(`Invalid value '${given}' for ${name}`);
  }
  if (hops !== undefined && !(Number.isInteger(hops) && hops >= HOPS.min && hops <= HOPS.max)) {
    throw invalidValue(`Invalid value '${hops}' for HttpPutResponseHopLimit: it must be between ${HOPS.min} and ${HOPS.max}`);
  }
  const [instance] = findInstances(account, [id], span);
  if (instance === undefined || instance.state === 'shutting-down' || instance.state === 'terminated') {
    throw new Ec2Refusal('IncorrectInstanceState', `The instance '${id}' is not in a state in which its metadata options can be changed.`);
  }
  const options = { ...metadataOptionsOf(instance), ...changes };
  account.instances.setMetadataOptions(id, options);
  const output: ModifyInstanceMetadataOptionsResult = { InstanceId: id, InstanceMetadataOptions: { State: 'pending', ...options } };
  return outcome(output, [id]);
}

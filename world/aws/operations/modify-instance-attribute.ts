import type { ModifyInstanceAttributeRequest } from '@aws-sdk/client-ec2';
import { Ec2Refusal, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { findInstances } from '../instance-view.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';

/** Changes termination protection; other attributes can't be changed here. Spot instances can't have it. */
export function modifyInstanceAttribute(account: Account, request: ModifyInstanceAttributeRequest, { span }: Caller): Outcome {
  const { InstanceId: id, DisableApiTermination: protection } = request;
  if (id === undefined) throw missingParameter('InstanceId');
  const [instance] = findInstances(account, [id], span);
  if (protection?.Value === undefined) {
    throw new Ec2Refusal('UnsupportedOperation', 'This world does not emulate attributes other than disableApiTermination');
  }
  if (instance?.capacityType === 'spot' && protection.Value) {
    throw new Ec2Refusal('UnsupportedOperation', 'Termination protection cannot be enabled for Spot Instances');
  }
  account.instances.protect(id, protection.Value);
  return outcome({}, [id]);
}

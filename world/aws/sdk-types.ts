import type { _InstanceType } from '@aws-sdk/client-ec2';

/** Casts an instance type's name to the SDK's type: names come from EC2, and the SDK's list may lag behind. */
export function toSdkType(type: string): _InstanceType {
  return type as _InstanceType;
}

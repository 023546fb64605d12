import type { _InstanceType } from '@aws-sdk/client-ec2';

/** An instance type's name in the SDK's type: the names come from EC2 itself, the SDK's list is only as new as the SDK. */
export function toSdkType(type: string): _InstanceType {
  return type as _InstanceType;
}

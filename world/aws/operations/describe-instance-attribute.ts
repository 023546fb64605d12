import type { DescribeInstanceAttributeRequest, InstanceAttribute, InstanceAttributeName } from '@aws-sdk/client-ec2';
import { invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { describeInstance, readInstances } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';

type Write = (account: Account, record: InstanceRecord) => InstanceAttribute;

const value = <V>(Value: V | undefined): { Value?: V } => (Value === undefined ? {} : { Value });

/** By the names in requests. Kernel, RAM disk and SR-IOV are not attributes of these instances: they have no value. */
const ATTRIBUTES: Readonly<Record<InstanceAttributeName, Write>> = {
  blockDeviceMapping: (account, record) => ({ BlockDeviceMappings: describeInstance(account, record).BlockDeviceMappings ?? [] }),
  disableApiStop: (_account, { template }) => ({ DisableApiStop: value(template.DisableApiStop ?? false) }),
  disableApiTermination: (_account, { isProtected }) => ({ DisableApiTermination: value(isProtected) }),
  ebsOptimized: (account, record) => ({ EbsOptimized: value(describeInstance(account, record).EbsOptimized) }),
  enaSupport: (account, record) => ({ EnaSupport: value(describeInstance(account, record).EnaSupport) }),
  enclaveOptions: (account, record) => ({ EnclaveOptions: describeInstance(account, record).EnclaveOptions ?? {} }),
  groupSet: (account, record) => ({ Groups: describeInstance(account, record).SecurityGroups ?? [] }),
  instanceInitiatedShutdownBehavior: (_account, { template }) => ({
    InstanceInitiatedShutdownBehavior: value(template.InstanceInitiatedShutdownBehavior ?? 'stop'),
  }),
  instanceType: (_account, { instanceType }) => ({ InstanceType: value(instanceType) }),
  kernel: () => ({ KernelId: {} }),
  productCodes: () => ({ ProductCodes: [] }),
  ramdisk: () => ({ RamdiskId: {} }),
  rootDeviceName: (account, record) => ({ RootDeviceName: value(describeInstance(account, record).RootDeviceName) }),
  sourceDestCheck: (account, record) => ({ SourceDestCheck: value(describeInstance(account, record).SourceDestCheck) }),
  sriovNetSupport: () => ({ SriovNetSupport: {} }),
  userData: (_account, { userData }) => ({
    UserData: value(userData === '' ? undefined : Buffer.from(userData, 'utf8').toString('base64')),
  }),
};

/** Describes one attribute of an instance. */
export function describeInstanceAttribute(
  account: Account,
  { InstanceId: id, Attribute: name }: DescribeInstanceAttributeRequest,
  { span }: Caller,
): InstanceAttribute {
  if (id === undefined) throw missingParameter('InstanceId');
  if (name === undefined) throw missingParameter('Attribute');
  const [record] = readInstances(account, [id], span);
  if (!Object.hasOwn(ATTRIBUTES, name)) {
    throw invalidValue(`Value (${name}) for parameter attribute is invalid. Unknown attribute.`);
  }
  return { InstanceId: id, ...(record === undefined ? {} : ATTRIBUTES[name](account, record)) };
}

import type { AnyScript } from '../scripts.ts';

/** The operations in scripts: those that moto 5.2.1 is known to answer as Auto Scaling does. */
export const OPERATIONS = [
  'CreateAutoScalingGroup',
  'UpdateAutoScalingGroup',
  'SetDesiredCapacity',
  'DeleteAutoScalingGroup',
  'DescribeAutoScalingGroups',
  'DescribeAutoScalingInstances',
  'TerminateInstanceInAutoScalingGroup',
  'SetInstanceProtection',
  'SuspendProcesses',
  'ResumeProcesses',
  'CreateOrUpdateTags',
  'DeleteTags',
  'DescribeTags',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Operations that only read. */
export const READS: ReadonlySet<string> = new Set(['DescribeAutoScalingGroups', 'DescribeAutoScalingInstances', 'DescribeTags']);

/** A member of a group in a request: `<<g1 0>>` is the first one, protected ones before others. */
export interface Step {
  readonly operation: Operation;
  /** The SDK's input. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A random case: a sequence of calls by one account with a VPC, a subnet in each zone, and the launch template `nodes`. */
export interface Script extends AnyScript {
  readonly steps: readonly Step[];
}

/** The recorded answers of moto, in the package. */
export const RECORDING = 'fixtures/recordings/autoscaling-random.jsonl.gz';
/** The launch template of every account. */
export const TEMPLATE = 'nodes';

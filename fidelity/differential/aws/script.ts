/**
 * A random case: a few calls in their order, by one account with one VPC, a subnet in each zone and one queue. What only the
 * cloud knows is named by the step that made it: `<<2>>` in an input is the id that step 2 was given (counted from 0),
 * `<<2.1>>` the receipt of its second message, in the order of the bodies. `<<vpc>>`, `<<subnet us-east-1a>>` and `<<queue>>`
 * are those of the account.
 */
export interface Script {
  readonly id: string;
  readonly steps: readonly Step[];
}

/** The fixed list of what is asked: where LocalStack 4.14.0 is known to do as AWS does. */
export const OPERATIONS = [
  'RunInstances',
  'TerminateInstances',
  'DescribeInstances',
  'CreateTags',
  'DeleteTags',
  'DescribeTags',
  'CreateLaunchTemplate',
  'CreateLaunchTemplateVersion',
  'DescribeLaunchTemplates',
  'DescribeLaunchTemplateVersions',
  'DeleteLaunchTemplate',
  'DescribeSubnets',
  'GetQueueUrl',
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessageBatch',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Operations that only read. */
export const READS: ReadonlySet<Operation> = new Set([
  'DescribeInstances',
  'DescribeTags',
  'DescribeLaunchTemplates',
  'DescribeLaunchTemplateVersions',
  'DescribeSubnets',
  'GetQueueUrl',
]);

export interface Step {
  readonly operation: Operation;
  /** In the shape of the SDK's input. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The queue of every account. */
export const QUEUE_NAME = 'differential';

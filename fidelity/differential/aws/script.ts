/**
 * A random case: a sequence of calls by one account with one VPC, a subnet in each zone and one queue. Ids that the cloud
 * generates are referenced by step: `<<2>>` in an input is the id that step 2 created (counted from 0), `<<2.1>>` the receipt of
 * its second message, sorted by body. `<<vpc>>`, `<<subnet us-east-1a>>` and `<<queue>>` are those of the account.
 */
export interface Script {
  readonly id: string;
  readonly steps: readonly Step[];
}

/** The operations in scripts: those where LocalStack 4.14.0 is known to behave like AWS. */
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
  /** The SDK's input. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The queue of every account. */
export const QUEUE_NAME = 'differential';

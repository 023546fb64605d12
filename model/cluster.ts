/** What an operator tells an autoscaler about its cluster. */
export interface ClusterConfig {
  readonly name: string;
  readonly region: string;
  /** Subnet id by zone. */
  readonly subnets: Readonly<Record<string, string>>;
  readonly securityGroupId: string;
  /** Image id by architecture. */
  readonly imageIds: Readonly<Record<'x86_64' | 'arm64', string>>;
  /** Where EventBridge sends EC2's events about instances; absent without a queue. */
  readonly interruptionQueueUrl?: string;
  /** Prefix for the names of an operator's cluster-scoped objects, in a shared cluster. */
  readonly objectPrefix?: string;
}

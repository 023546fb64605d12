/** What an autoscaler's operator tells it about where it runs. */
export interface ClusterConfig {
  readonly name: string;
  readonly region: string;
  /** Subnet id by zone. */
  readonly subnets: Readonly<Record<string, string>>;
  readonly securityGroupId: string;
  /** Image id by architecture. */
  readonly imageIds: Readonly<Record<'x86_64' | 'arm64', string>>;
  /** Where EventBridge puts what EC2 says about instances; absent when nobody set up a queue. */
  readonly interruptionQueueUrl?: string;
  /** What the names of an operator's objects begin with that lie in no namespace, in a cluster that others use too. */
  readonly objectPrefix?: string;
}

/**
 * A user's EC2NodeClass (karpenter.k8s.aws/v1) for the nodes of a pool, without what belongs to a cluster. Targets with the feature
 * `node-classes` apply it, with their own cluster's images, network and role.
 */
export interface UserNodeClass {
  readonly name: string;
  /** Valid by Karpenter's definition once the cluster's fields are added. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The fields of a class that belong to a cluster. */
export const CLUSTER_FIELDS = [
  'amiFamily',
  'amiSelectorTerms',
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'role',
  'instanceProfile',
] as const;

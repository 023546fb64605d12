import type { ClusterConfig } from '../../model/cluster.ts';
import type { Tags } from './tags.ts';

/** The tags of resources that the cluster owns from the start: those that EKS sets, and those that Karpenter's guide requires. */
export function clusterTags({ name }: ClusterConfig): Tags {
  return { [`kubernetes.io/cluster/${name}`]: 'owned', 'karpenter.sh/discovery': name };
}

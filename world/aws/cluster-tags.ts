import type { ClusterConfig } from '../../model/cluster.ts';
import type { Tags } from './tags.ts';

/** The tags of what belongs to the cluster from the start: as EKS sets them, and as Karpenter's guide has them set. */
export function clusterTags({ name }: ClusterConfig): Tags {
  return { [`kubernetes.io/cluster/${name}`]: 'owned', 'karpenter.sh/discovery': name };
}

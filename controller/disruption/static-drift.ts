import { isDeleting, nameOf, nodePoolOf } from '../api.ts';
import type { Context } from '../context.ts';
import { PoolReader } from '../provisioning/pools.ts';
import { planStaticNode } from '../provisioning/static-capacity.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import type { Candidate } from './candidates.ts';

/** Plans the replacement of a node of a static pool. */
export interface StaticReplacements {
  /** @returns undefined if the node has to stay for now */
  of(candidate: Candidate): readonly PlannedNode[] | undefined;
}

/**
 * One node as the pool would create it now, independent of pods. None while the pool has more nodes than replicas, since it has
 * to shrink, nor if its node limit leaves no room beside the old one.
 * Source: Karpenter, `pkg/controllers/disruption/staticdrift.go`, v1.8.
 */
export function createStaticReplacements(context: Context): StaticReplacements {
  const pools = new PoolReader(context);
  return {
    of: ({ pool }) => {
      const { state, reservations } = context;
      const name = nameOf(pool);
      const { replicas = 0 } = pool.spec;
      const present = state.claims.list().filter((claim) => nodePoolOf(claim) === name && !isDeleting(claim)).length;
      if (present > replicas + reservations.count(name)) return undefined;
      const [options] = pools.read((one) => nameOf(one) === name);
      if (options === undefined || (options.remaining['nodes'] ?? Infinity) < 1) return undefined;
      const launch = planStaticNode(options);
      return launch === undefined ? undefined : [launch];
    },
  };
}

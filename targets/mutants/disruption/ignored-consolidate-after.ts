import type { NodePool } from '../../../controller/api.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { poolsAsSeen } from './as-seen.ts';

/** The planted bug: only the autoscaler's own time counts. */
function withoutTime(pool: NodePool): NodePool {
  if (pool.spec.disruption === undefined) return pool;
  const { consolidateAfter: _asked, ...disruption } = pool.spec.disruption;
  return { ...pool, spec: { ...pool.spec, disruption } };
}

export const ignoredConsolidateAfter: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-consolidate-after',
    summary: 'removes empty nodes after half a minute, whatever their pool asks for',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, emptiness: createEmptiness(poolsAsSeen(context, withoutTime), right.disruption) };
    },
  }),
  resembles: 'empty nodes were removed without regard to the consolidateAfter of their pool (karpenter#3147)',
  caughtBy: {
    scenario: 'consolidation/empty-nodes-wait',
    check: 'consolidate-after',
    code: 'consolidated-early',
    object: 'nodes/*',
    seeds: 'every',
  },
};

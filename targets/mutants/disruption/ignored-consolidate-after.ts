import type { Context } from '../../../controller/context.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The pools without the time that they ask for. */
function atOwnTime(context: Context): Context {
  const { state } = context;
  const pools: Pick<typeof state.pools, 'get'> = {
    get: (name) => {
      const pool = state.pools.get(name);
      if (pool?.spec.disruption === undefined) return pool;
      // The planted bug: only the autoscaler's own time counts.
      const { consolidateAfter: _asked, ...disruption } = pool.spec.disruption;
      return { ...pool, spec: { ...pool.spec, disruption } };
    },
  };
  // Only `get` of the pools is used there.
  return { ...context, state: { ...state, pools: pools as typeof state.pools } };
}

export const ignoredConsolidateAfter: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-consolidate-after',
    summary: 'removes empty nodes after half a minute, whatever their pool asks for',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, emptiness: createEmptiness(atOwnTime(context), right.disruption) };
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

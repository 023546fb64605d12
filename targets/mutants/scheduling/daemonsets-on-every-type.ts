import { createParts } from '../../../controller/parts.ts';
import type { PoolOptions, Simulator } from '../../../controller/scheduling/types.ts';
import { maxResources, subtractResources } from '../../../model/resources.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: what DaemonSets use on some type of the pool counts on each. */
function withLargestShare(pool: PoolOptions): PoolOptions {
  const shares = pool.options.map(({ type, room }) => subtractResources(type.allocatable, room));
  const largest = shares.reduce<Resources>(maxResources, {});
  return { ...pool, options: pool.options.map((option) => ({ ...option, room: subtractResources(option.type.allocatable, largest) })) };
}

function onEveryType(right: Simulator): Simulator {
  return { simulate: (input) => right.simulate({ ...input, pools: input.pools.map(withLargestShare) }) };
}

export const daemonSetsOnEveryType: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:daemonsets-on-every-type',
    summary: 'takes a DaemonSet that runs on some types only for one that runs on all of them',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: onEveryType(right.simulator) };
    },
  }),
  resembles: 'DaemonSets that select types counted on all types, so types that were large enough seemed too small (karpenter#715)',
  caughtBy: {
    scenario: 'provisioning/daemonset-of-one-type',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

import { createParts } from '../../../controller/parts.ts';
import { findShortfall } from '../../../controller/scheduling/minimum-values.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but each spread also needs the zones of pools from which nothing can be launched. */
function overUnusablePools(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      if (input.pools.every(({ minimums, options }) => findShortfall(minimums, options) === undefined)) return right.simulate(input);
      const minDomains = new Set(input.pools.flatMap(({ options }) => options.map(({ offering }) => offering.zone))).size;
      // The planted bug: only zones where a node can be launched count.
      const planned = ({ spec, ...pod }: PodToPlace): PodToPlace => ({
        ...pod,
        spec: { ...spec, topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).map((one) => ({ ...one, minDomains })) },
      });
      return right.simulate({ ...input, pods: input.pods.map(planned) });
    },
  };
}

export const spreadOverUnusableZones: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:spread-over-unusable-zones',
    summary:
      'counts zones for a spread that only pools have whose minimum of types is not met: pods wait for nodes that cannot be launched',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: overUnusablePools(right.simulator) };
    },
  }),
  resembles: 'a misconfigured pool decided over which zones unrelated pods were spread (karpenter-provider-aws#8637)',
  caughtBy: {
    scenario: 'scheduling/spread-beside-unusable-pool',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

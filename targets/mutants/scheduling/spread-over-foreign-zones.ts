import { createParts } from '../../../controller/parts.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but each spread needs the zones of all pools. */
export function overAllPools(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const minDomains = new Set(input.pools.flatMap(({ options }) => options.map(({ offering }) => offering.zone))).size;
      // The planted bug: only zones where the pod may run count.
      const planned = ({ spec, ...pod }: PodToPlace): PodToPlace => ({
        ...pod,
        spec: { ...spec, topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).map((one) => ({ ...one, minDomains })) },
      });
      return right.simulate({ ...input, pods: input.pods.map(planned) });
    },
  };
}

export const spreadOverForeignZones: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:spread-over-foreign-zones',
    summary: 'counts zones for a spread that only pools have which the pods do not select',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: overAllPools(right.simulator) };
    },
  }),
  resembles: 'zones of other pools made the spread of pods that select one pool unsatisfiable (karpenter#2227)',
  caughtBy: {
    scenario: 'scheduling/spread-beside-other-pool',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

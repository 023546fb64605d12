import type { Context } from '../../../controller/context.ts';
import { SPOT_TYPES_MIN } from '../../../controller/constants.ts';
import { createCheaper } from '../../../controller/disruption/consolidation.ts';
import type { Cheaper } from '../../../controller/disruption/consolidation.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { LABEL } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

function createCheaperByName(context: Context): Cheaper {
  const right = createCheaper(context);
  return (launch, candidates) => {
    const narrowed = right(launch, candidates);
    const [candidate] = candidates;
    if (narrowed === undefined || candidate === undefined || candidates.length > 1 || candidate.capacityType !== 'spot') return narrowed;
    const isCheaper = (name: string): boolean => {
      const spot = (context.instanceTypes.get(name)?.offerings ?? []).filter(({ capacityType }) => capacityType === 'spot');
      return spot.length > 0 && spot.every(({ usdPerHour }) => usdPerHour < candidate.usdPerHour);
    };
    const names = launch.requirements.find(({ key }) => key === LABEL.instanceType)?.values ?? [];
    // The planted bug: the first ones in the alphabet, not the cheapest.
    const chosen = names.filter(isCheaper).sort().slice(0, SPOT_TYPES_MIN);
    return {
      ...narrowed,
      requirements: narrowed.requirements.map((one) => (one.key === LABEL.instanceType ? { ...one, values: chosen } : one)),
    };
  };
}

export const spotTypesByName: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:spot-types-by-name',
    summary: 'replaces a spot node by any cheaper type, so that the next round finds cheaper ones again',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, disruption: createDisruption(context, right, { cheaper: createCheaperByName(context) }) };
    },
  }),
  resembles: 'consolidation replaced nodes again and again for hours, until somebody stepped in (karpenter-provider-aws#8536)',
  caughtBy: {
    scenario: 'consolidation/spot-to-spot',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

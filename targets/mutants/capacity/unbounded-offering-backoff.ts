import type { Context } from '../../../controller/context.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Doubles the time for which refused offerings are avoided. */
function doubling({ unavailable }: Context): Context['unavailable'] {
  const factors = new Map<string, number>();
  return {
    has: (offering) => unavailable.has(offering),
    mark: (what, ttlMs) => {
      const key = JSON.stringify(what);
      // The planted bug: there is no upper limit.
      const factor = 2 * (factors.get(key) ?? 0.5);
      factors.set(key, factor);
      unavailable.mark(what, factor * ttlMs);
    },
  };
}

export const unboundedOfferingBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:unbounded-offering-backoff',
    summary: 'doubles the time for which it avoids a refused offering each time, without an upper limit',
    makeParts: (context) => ({ ...createParts(context), launcher: createLauncher({ ...context, unavailable: doubling(context) }) }),
  }),
  resembles: 'pods waited for more than an hour after errors of a launch, with a backoff (karpenter-provider-aws#5850)',
  caughtBy: {
    scenario: 'capacity/no-capacity-anywhere',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};

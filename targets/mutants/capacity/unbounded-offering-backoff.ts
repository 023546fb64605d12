import type { Context } from '../../../controller/context.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Quadruples the time for which refused offerings are avoided: like claims share a request, so each is refused rarely. */
function quadrupling({ unavailable }: Context): Context['unavailable'] {
  const factors = new Map<string, number>();
  return {
    has: (offering) => unavailable.has(offering),
    mark: (what, ttlMs) => {
      const key = JSON.stringify(what);
      // The planted bug: there is no upper limit.
      const factor = 4 * (factors.get(key) ?? 0.25);
      factors.set(key, factor);
      unavailable.mark(what, factor * ttlMs);
    },
  };
}

export const unboundedOfferingBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:unbounded-offering-backoff',
    summary: 'avoids a refused offering four times as long each time, without an upper limit',
    makeParts: (context) => ({ ...createParts(context), launcher: createLauncher({ ...context, unavailable: quadrupling(context) }) }),
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

import { createCollector } from '../../../controller/lifecycle/collector.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const collectsByCache: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:collects-by-cache',
    summary: 'garbage-collects instances that no claim records as far as its watch shows, although that may lag',
    makeParts: (context) => {
      const { state } = context;
      // The planted bug: the API server is not asked whether the claims are still the same.
      const freshClaims = (): ReturnType<typeof state.freshClaims> => Promise.resolve(state.claims.list());
      return { ...createParts(context), collector: createCollector({ ...context, state: { ...state, freshClaims } }) };
    },
  }),
  resembles: 'what a cache of the API server shows may be older than what the reader wrote itself (kubernetes/kubernetes#59848)',
  caughtBy: {
    scenario: 'staleness/restarted-with-stale-records',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

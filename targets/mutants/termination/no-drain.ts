import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const noDrain: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:no-drain',
    summary: 'cordons nodes and terminates their instances without draining them',
    makeParts: (context) => {
      const right = createDrainer(context);
      // The planted bug: pods are neither evicted nor waited for.
      const drain = (): Promise<undefined> => Promise.resolve(undefined);
      return { ...createParts(context), terminator: createTerminator(context, { cordon: (node) => right.cordon(node), drain }) };
    },
  }),
  resembles:
    'nodes disappeared under their pods, because scale-down terminated their machines without a drain (kubernetes-retired/contrib#1352)',
  caughtBy: {
    scenario: 'faulty-api/clock-ahead-drain',
    check: 'grace-periods',
    code: 'never-asked-to-leave',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

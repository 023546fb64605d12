import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { LeavingOrder } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { isCritical } from '../../../model/drain.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: the wrong way round. */
const criticalFirst: LeavingOrder = (pods) => {
  const critical = pods.filter(({ spec }) => isCritical(spec));
  return critical.length > 0 ? critical : pods;
};

export const criticalPodsFirst: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:critical-pods-first',
    summary: 'asks critical pods to leave a node before the pods that may need them',
    makeParts: (context) => ({ ...createParts(context), terminator: createTerminator(context, createDrainer(context, criticalFirst)) }),
  }),
  resembles: 'pods that ship logs and metrics were evicted before the pods that they served had ended (karpenter#1133)',
  caughtBy: {
    scenario: 'disruption/critical-pods-last',
    check: 'drain-order',
    code: 'critical-pod-first',
    object: 'pods/default/critical-*',
    seeds: 'every',
  },
};

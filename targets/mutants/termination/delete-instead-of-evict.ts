import { RESOURCES } from '../../../clients/resources.ts';
import { nameOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { Drainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** How long it waits for the deleted pods. */
const LOOK_AGAIN_MS = 5_000;

/** Cordons like the correct one, and deletes the pods. */
function deleting(context: Context, right: Drainer): Drainer {
  return {
    cordon: (node) => right.cordon(node),
    drain: async (node) => {
      const pods = [...context.state.podsOn(nameOf(node))].filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind !== 'DaemonSet');
      if (pods.length === 0) return undefined;
      for (const { metadata } of pods) {
        // The planted bug: a deletion does not check budgets.
        const ref = { type: RESOURCES.pods, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
        await context.kube.delete(ref).catch(() => undefined);
      }
      return LOOK_AGAIN_MS;
    },
  };
}

export const deleteInsteadOfEvict: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:delete-instead-of-evict',
    summary: 'drains nodes by deleting their pods instead of evicting them, which bypasses disruption budgets',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator(context, deleting(context, createDrainer(context))),
    }),
  }),
  resembles: 'PodDisruptionBudgets were violated when nodes were drained (karpenter#1928)',
  caughtBy: {
    scenario: 'disruption/drained-within-budget',
    check: 'budgets-respected',
    code: 'protected-pod-deleted',
    object: 'pods/default/*',
    seeds: 'every',
  },
};

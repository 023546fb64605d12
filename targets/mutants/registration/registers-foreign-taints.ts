import { UNREGISTERED_TAINT } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createRegistrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The same state, in which every Node looks as if its kubelet had created it. */
function asOfKubelets({ state }: Context): Context['state'] {
  return {
    ...state,
    // The planted bug: another component may have created it, with taints that no pod tolerates.
    nodesOf: (providerId) =>
      state.nodesOf(providerId).map((node) => {
        return { ...node, spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), UNREGISTERED_TAINT] } };
      }),
  };
}

export const registersForeignTaints: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:registers-foreign-taints',
    summary: 'registers nodes to which another component gave a taint: no pod can use them, so it launches one after the other',
    makeParts: (context) => ({
      ...createParts(context),
      registrar: createRegistrar({ ...context, state: asOfKubelets(context) }),
    }),
  }),
  resembles:
    'several nodes were launched for one pod, since another component gave each a taint after it registered (karpenter-provider-aws#6355)',
  caughtBy: {
    scenario: 'registration/foreign-taint',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

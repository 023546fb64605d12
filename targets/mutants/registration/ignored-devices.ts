import type { NodeClaim } from '../../../controller/api.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import type { Mutant } from '../mutant.ts';

/** The same claim as if it needed nothing of its node. */
function withoutRequests(claim: NodeClaim): NodeClaim {
  return { ...claim, spec: { ...claim.spec, resources: {} } };
}

/** Initializes like the correct one, but without waiting for what the node should offer. */
function withoutWaiting(right: Registrar): Registrar {
  return {
    register: (claim) => right.register(claim),
    // The planted bug: Ready is not enough for pods that request GPUs.
    initialize: (claim) => right.initialize(withoutRequests(claim)),
    renewSize: (claim) => right.renewSize(claim),
  };
}

export const ignoredDevices: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-devices',
    summary: 'takes GPU nodes for complete as soon as they are Ready: it finds them empty and removes them before their GPUs are offered',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, registrar: withoutWaiting(right.registrar) };
    },
  }),
  resembles: 'GPU nodes were removed as empty, and launched again, before their device plugin had registered (karpenter-provider-aws#1459)',
  caughtBy: {
    scenario: 'pools/gpus-offered-late',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
  },
};

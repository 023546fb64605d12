import { RESOURCES } from '../../../clients/resources.ts';
import { nameOf, timeOf } from '../../../controller/api.ts';
import { deleteClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Repairer } from '../../../controller/lifecycle/repair.ts';
import { createParts } from '../../../controller/parts.ts';
import type { KubeObject } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

interface NodeLease extends KubeObject {
  spec?: { renewTime?: string };
}

/** Kubelets report every ten seconds: one that has not for this long is dead. */
const SILENT_MS = 200_000;

/** Repairs like the correct one, and also removes nodes whose kubelets were silent for minutes. */
function listening(context: Context, right: Repairer): Repairer {
  const { kube, state, runtime } = context;
  return {
    sweep: async () => {
      const leases = await kube.list<NodeLease>(RESOURCES.leases, { namespace: 'kube-node-lease' });
      for (const claim of state.claims.list()) {
        const lease = leases.find((one) => nameOf(one) === claim.status?.nodeName);
        const renewedMs = timeOf(lease?.spec?.renewTime) ?? Infinity;
        // The planted bug: it compares a time of the kubelet's clock with its own clock.
        if (runtime.clock.nowMs() - renewedMs > SILENT_MS) await deleteClaim(context, claim, 'its kubelet is silent');
      }
      await right.sweep();
    },
  };
}

export const kubeletClock: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:kubelet-clock',
    summary: 'compares the times that kubelets report with its own clock: when its clock is ahead, every node looks dead',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, repairer: listening(context, right.repairer) };
    },
  }),
  resembles: "nodes were considered dead by comparing the kubelet's times with another clock (kubernetes/kubernetes#6193)",
  caughtBy: {
    scenario: 'faulty-api/clock-ahead',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

import type { KubeClient } from '../../../clients/kube-client.ts';
import { RESOURCES } from '../../../clients/resources.ts';
import { DISRUPTED_TAINT, isDeleting } from '../../../controller/api.ts';
import { deleteClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Disruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import type { Emptiness } from '../../../controller/disruption/emptiness.ts';
import { taint } from '../../../controller/disruption/taint.ts';
import { createParts } from '../../../controller/parts.ts';
import { logFailure } from '../../../runtime/log.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Removes empty nodes like the correct one, but sticks to an earlier decision after the taint was refused. */
function landingLate(context: Context, disruption: Disruption): Emptiness {
  const { kube, state, runtime } = context;
  const decided = new Set<string>();
  const patch: KubeClient['patch'] = async (ref, body, subresource) => {
    try {
      return await kube.patch(ref, body, subresource);
    } catch (error) {
      if (ref.type === RESOURCES.nodes && JSON.stringify(body).includes(DISRUPTED_TAINT.key)) decided.add(ref.name);
      throw error;
    }
  };
  const right = createEmptiness({ ...context, kube: { ...kube, patch } }, disruption);
  const land = async (name: string): Promise<void> => {
    const node = state.nodes.get(name);
    const claim = state.claims.list().find(({ status }) => status?.providerID === node?.spec?.providerID);
    if (node !== undefined && claim !== undefined && !isDeleting(claim)) {
      await taint(context, node);
      // The planted bug: pods may have arrived between the decision and the taint.
      await deleteClaim(context, claim, 'its node was empty');
    }
    decided.delete(name);
  };
  return {
    sweep: async () => {
      for (const name of [...decided]) {
        await land(name).catch((error: unknown) => {
          logFailure(runtime.log, 'warn', "can't taint an empty node", error, { node: name });
        });
      }
      await right.sweep();
    },
  };
}

export const staleTaintRetry: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:stale-taint-retry',
    summary: 'retries the taint of an empty node until it succeeds, then removes the node whatever runs on it by then',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, emptiness: landingLate(context, right.disruption) };
    },
  }),
  resembles: 'the taint of an empty node was refused for a minute, and landed with eight pods on it (kubernetes-sigs/karpenter#3185)',
  caughtBy: {
    scenario: 'faulty-api/writes-fail',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};

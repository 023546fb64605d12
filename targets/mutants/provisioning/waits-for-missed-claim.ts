import { uidOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The deletion of a claim that existed for no longer than this is missed: as long as a refused launch takes with some seeds. */
const SEEN_AFTER_MS = 2_000;

/** Plans like the correct one as long as all claims are accounted for. */
function whenSynced({ state, runtime }: Context, right: Simulator): Simulator {
  const sinceMs = new Map<string, number>();
  let isSynced = true;
  state.claims.onChange((type, claim) => {
    const nowMs = runtime.clock.nowMs();
    const cameMs = sinceMs.get(uidOf(claim)) ?? nowMs;
    if (type === 'ADDED') sinceMs.set(uidOf(claim), nowMs);
    if (type !== 'DELETED') return;
    sinceMs.delete(uidOf(claim));
    // The planted bug: a claim that is deleted right after its creation is waited for until the next restart.
    if (nowMs - cameMs < SEEN_AFTER_MS) isSynced = false;
  });
  return { simulate: (input) => (isSynced ? right.simulate(input) : { launches: [], nominations: new Map(), refusals: [] }) };
}

export const waitsForMissedClaim: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:waits-for-missed-claim',
    summary: 'waits forever to see a claim that was created and deleted within two seconds: nothing is provisioned any more',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: whenSynced(context, right.simulator) };
    },
  }),
  resembles: 'a claim created and deleted within a second, and no provisioning until a restart (karpenter#3176)',
  caughtBy: {
    scenario: 'provisioning/short-lived-pods',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};

import { timeOf } from '../../../controller/api.ts';
import { STUCK_POD_MS } from '../../../controller/constants.ts';
import type { Context } from '../../../controller/context.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import type { ClusterState } from '../../../controller/state.ts';
import type { Pod } from '../../../model/kube.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The pods without those that should have terminated a minute ago. */
function withoutStuck(clock: Clock, state: ClusterState): ClusterState {
  // The planted bug: it compares a time of the server's clock with its own clock.
  const isStuck = ({ metadata }: Pod): boolean => clock.nowMs() >= (timeOf(metadata.deletionTimestamp) ?? Infinity) + STUCK_POD_MS;
  return {
    ...state,
    podsOn: (nodeName) => [...state.podsOn(nodeName)].filter((pod) => !isStuck(pod)),
    freshPods: async () => (await state.freshPods()).filter((pod) => !isStuck(pod)),
  };
}

function hasty(context: Context): Context {
  return { ...context, state: withoutStuck(context.runtime.clock, context.state) };
}

export const serverTime: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:server-time',
    summary: "compares a pod's deletion timestamp with its own clock: when its clock is ahead, every terminating pod looks stuck",
    makeParts: (context) => ({ ...createParts(context), terminator: createTerminator(context, createDrainer(hasty(context))) }),
  }),
  resembles: "pods were considered stuck by comparing the server's time with another clock (karpenter-provider-aws#2175)",
  caughtBy: {
    scenario: 'faulty-api/clock-ahead-drain',
    check: 'grace-periods',
    code: 'grace-cut-short',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

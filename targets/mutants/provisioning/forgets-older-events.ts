import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReporter } from '../../../controller/provisioning/reporter.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Also reports why pods cannot be scheduled, and remembers only the last reason of each. */
function talkative({ runtime, kube }: Context, right: Simulator): Simulator {
  const last = new Map<string, string>();
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      for (const { pod, reason } of plan.refusals) {
        const uid = pod.metadata.uid ?? '';
        // The planted bug: a reason that was given before the last one counts as new.
        if (last.get(uid) !== reason) createReporter(runtime, kube).cannotSchedule(pod, reason);
        last.set(uid, reason);
      }
      return plan;
    },
  };
}

export const forgetsOlderEvents: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-older-events',
    summary: 'repeats why a pod cannot be scheduled whenever the reason differs from the last one, as it does while several take turns',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: talkative(context, right.simulator) };
    },
  }),
  resembles: 'Events about pods that cannot be scheduled filled etcd (karpenter#2071)',
  caughtBy: {
    scenario: 'capacity/refused-at-limit',
    check: 'event-spam',
    code: 'event-flood',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

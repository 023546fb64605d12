import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { Drainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Pods are deleted this long before the deadline, whatever their grace period. */
const SHORT_MS = 30_000;

/** Drains like the correct one, but considers the deadline only shortly before it. */
function late(clock: Clock, right: Drainer): Drainer {
  return {
    cordon: (node) => right.cordon(node),
    drain: async (node, endMs) => {
      const shortMs = endMs - SHORT_MS;
      // The planted bug: some pods have longer grace periods.
      if (clock.nowMs() >= shortMs) return right.drain(node, endMs);
      const waitMs = await right.drain(node, Infinity);
      return waitMs === undefined ? undefined : Math.min(waitMs, Math.max(1, shortMs - clock.nowMs()));
    },
  };
}

export const shortenedGracePeriod: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:shortened-grace-period',
    summary:
      'deletes the remaining pods of a node half a minute before its grace period is over, even pods with a longer grace period of their own',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator(context, late(context.runtime.clock, createDrainer(context))),
    }),
  }),
  resembles: "instances were terminated when their pods' grace periods ended, or before (karpenter-provider-aws#2175)",
  caughtBy: {
    scenario: 'pools/termination-grace-slow-pods',
    check: 'grace-periods',
    code: 'asked-too-late',
    object: 'pods/default/slow-*',
    seeds: 'every',
  },
};

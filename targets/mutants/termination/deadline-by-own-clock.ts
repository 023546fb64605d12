import type { Context } from '../../../controller/context.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: the time of day, as if nobody ever set the clock. */
function neverSet(clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.nowMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, fire) => clock.after(ms, fire),
    call: (label, work) => clock.call(label, work),
    park: (wait) => clock.park(wait),
    hold: (work) => clock.hold(work),
  };
}

function trusting(context: Context): Context {
  return { ...context, runtime: { ...context.runtime, clock: neverSet(context.runtime.clock) } };
}

export const deadlineByOwnClock: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:deadline-by-own-clock',
    summary: 'remembers by its own clock when a node has to end, and is late when that clock is set right meanwhile',
    makeParts: (context) => ({ ...createParts(context), terminator: createTerminator(trusting(context), createDrainer(context)) }),
  }),
  resembles: "pods were considered stuck by comparing the server's time with another clock (karpenter-provider-aws#2175)",
  caughtBy: {
    scenario: 'faulty-api/clock-set-grace-period',
    check: 'grace-periods',
    code: 'asked-too-late',
    object: 'pods/default/slow-*',
    seeds: 'every',
  },
};

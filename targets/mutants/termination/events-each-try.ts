import type { Context } from '../../../controller/context.ts';
import { EventWriter } from '../../../controller/core/events.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Its reporter remembers nothing. */
function talkative(context: Context): Context {
  const { runtime, kube, reporter } = context;
  return {
    ...context,
    reporter: {
      ...reporter,
      // The planted bug: nobody knows what was said a moment ago.
      publish: (notification) => {
        new EventWriter(runtime, kube).write(notification);
      },
    },
  };
}

export const eventsEachTry: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:events-each-try',
    summary: 'writes an Event at each try to drain a node whose pods may not be evicted',
    makeParts: (context) => ({ ...createParts(context), terminator: createTerminator(context, createDrainer(talkative(context))) }),
  }),
  resembles: 'an Event at each try, without a rate limit (karpenter#236)',
  caughtBy: {
    scenario: 'faulty-api/blocked-evictions',
    check: 'event-spam',
    code: 'event-flood',
    object: 'nodes/*',
    seeds: 'every',
  },
};

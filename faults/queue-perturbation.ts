import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { MESSAGE_KINDS } from '../world/ports.ts';
import type { MessagePerturbation } from '../world/ports.ts';
import { defineFault } from './fault.ts';

const which = {
  kinds: z.array(z.enum(MESSAGE_KINDS)).min(1).optional().describe('only messages of these kinds; by default every kind'),
  count: z.number().int().positive().optional().describe('at most this many messages; by default all'),
};

const params = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('duplicate'),
    ...which,
    copies: z.number().int().min(2).default(2).describe('how many times each message arrives'),
  }),
  z.strictObject({
    what: z.literal('delay'),
    ...which,
    delayMs: z
      .number()
      .int()
      .positive()
      .meta({ description: 'how much later each message arrives', examples: [60_000] }),
  }),
  z.strictObject({ what: z.literal('lose'), ...which }),
]);

type Params = z.infer<typeof params>;

/**
 * Messages on their way to the interruption queue are duplicated, delayed or lost. Legal: EventBridge delivers at least once
 * and in no guaranteed order, and EC2's events are best effort.
 */
export const queuePerturbation = defineFault({
  name: 'queue-perturbation',
  summary: 'messages about instances are duplicated, delayed or lost on their way to the interruption queue',
  params,
  legal: true,
  hinders: false,
  capabilities: () => ['queue.perturb'],
  color: '#0891b2',
  describe: (given) => {
    const messages = `${given.count === undefined ? 'all' : `the next ${given.count}`} messages (${given.kinds?.join(', ') ?? 'every kind'})`;
    return `${messages} ${describeEffect(perturbationOf(given))}`;
  },
  inject: (given, { ports, fired }) =>
    ports.queue.perturb({
      ...defined({ kinds: given.kinds, count: given.count }),
      message: perturbationOf(given),
      fired: (kind, instance) => fired(undefined, `${kind} of ${instance}`),
    }),
});

function perturbationOf(given: Params): MessagePerturbation {
  switch (given.what) {
    case 'duplicate':
      return { kind: 'duplicate', copies: given.copies };
    case 'delay':
      return { kind: 'delay', delayMs: given.delayMs };
    case 'lose':
      return { kind: 'lose' };
  }
}

function describeEffect(perturbation: MessagePerturbation): string {
  switch (perturbation.kind) {
    case 'duplicate':
      return `arrive ${perturbation.copies} times`;
    case 'delay':
      return `arrive ${perturbation.delayMs / 1_000} s late`;
    case 'lose':
      return 'are lost';
  }
}

import { z } from 'zod';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  what: z
    .enum(['malformed', 'foreign', 'unknown'])
    .describe('what can not be parsed, events of a kind that nobody has heard of, or warnings about instances of others'),
  periodMs: z.number().int().positive().default(10_000).describe('from one to the next'),
});

/**
 * Messages come to the interruption queue that are no business of this cluster: what can't be parsed, events of an unknown
 * kind, or warnings about instances of others. Legal: rules that match too much, and whoever may send, do that.
 */
export const strayMessages = defineFault({
  name: 'stray-messages',
  summary: 'messages that are malformed, of an unknown kind, or about the instances of others come to the interruption queue',
  params,
  legal: true,
  hinders: false,
  capabilities: () => ['queue.perturb'],
  color: '#a16207',
  describe: ({ what, periodMs }) => `every ${periodMs / 1_000} s a message comes to the interruption queue that is ${what}`,
  inject: ({ what, periodMs }, { ports, fired }) =>
    ports.queue.put({ what, periodMs, fired: (about) => fired(undefined, `${what}: ${about}`) }),
});

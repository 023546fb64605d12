import { z } from 'zod';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  what: z
    .enum(['malformed', 'foreign', 'unknown'])
    .describe('malformed: messages that cannot be parsed; foreign: warnings about foreign instances; unknown: events of an unknown kind'),
  periodMs: z.number().int().positive().default(10_000).describe('how often a message arrives'),
});

/**
 * The interruption queue receives messages that do not concern this cluster: unparsable ones, events of an unknown kind, or
 * warnings about instances of others. Legal: rules may match too much, and anyone with the permission can send messages.
 */
export const strayMessages = defineFault({
  name: 'stray-messages',
  summary: 'malformed messages, messages of an unknown kind, or messages about foreign instances arrive in the interruption queue',
  params,
  legal: true,
  hinders: false,
  capabilities: () => ['queue.perturb'],
  color: '#a16207',
  describe: ({ what, periodMs }) => `every ${periodMs / 1_000} s a message that is ${what} arrives in the interruption queue`,
  inject: ({ what, periodMs }, { ports, fired }) =>
    ports.queue.put({ what, periodMs, fired: (about) => fired(undefined, `${what}: ${about}`) }),
});

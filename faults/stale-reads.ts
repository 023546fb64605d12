import { z } from 'zod';
import { STALE_RESOURCES } from '../world/ports.ts';
import { defineFault } from './fault.ts';

/** The longest that EC2 has its users wait for a change to be seen. */
const LATEST_MS = 300_000;

const params = z.strictObject({
  maxMs: z
    .number()
    .int()
    .positive()
    .max(LATEST_MS)
    .default(30_000)
    .describe('how old a read may be; 30 s is ample for EC2, which speaks of up to 5 minutes'),
  resources: z
    .array(z.enum(STALE_RESOURCES))
    .min(1)
    .default([...STALE_RESOURCES])
    .describe('what is seen late'),
  mutations: z.boolean().default(false).describe("TerminateInstances, CreateTags and CreateFleet don't know either what is not seen yet"),
});

/**
 * Reads show what changed lately only after a while: an instance just launched is not found, one just terminated still
 * runs, a launch template just made does not exist. What was seen once stays seen. Legal: EC2 is consistent in the end.
 * Source: "Eventual consistency in the Amazon EC2 API".
 */
export const staleReads = defineFault({
  name: 'stale-reads',
  summary: 'reads of EC2 show recent changes late, or do not know what was just made',
  params,
  legal: true,
  capabilities: () => ['reads.stale'],
  color: '#4d7c0f',
  describe: ({ maxMs, resources, mutations }) =>
    `changes of ${resources.join(' and ')} are seen up to ${maxMs / 1_000} s late${mutations ? ', by requests that change them too' : ''}`,
  inject: ({ maxMs, resources, mutations }, { ports, fired }) =>
    ports.reads.delay({ resources, maxMs, mutations, fired: (span) => fired(span) }),
});

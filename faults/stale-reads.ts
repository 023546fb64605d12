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
    .describe('maximum age of a read; EC2 is usually well below 30 s, but documents up to 5 minutes'),
  resources: z
    .array(z.enum(STALE_RESOURCES))
    .min(1)
    .default([...STALE_RESOURCES])
    .describe('resources whose changes are seen late'),
  mutations: z.boolean().default(false).describe('whether TerminateInstances, CreateTags and CreateFleet do not know new resources either'),
});

/**
 * Reads show what changed lately only after a while: an instance just launched is not found, one just terminated still
 * runs, a launch template just made does not exist. What was seen once stays seen. Legal: EC2 is consistent in the end.
 * Source: "Eventual consistency in the Amazon EC2 API".
 */
export const staleReads = defineFault({
  name: 'stale-reads',
  summary: 'EC2 reads show recent changes late, and do not know resources that were just created',
  params,
  legal: true,
  capabilities: () => ['reads.stale'],
  color: '#4d7c0f',
  describe: ({ maxMs, resources, mutations }) =>
    `changes of ${resources.join(' and ')} are seen up to ${maxMs / 1_000} s late${mutations ? ', by requests that change them too' : ''}`,
  inject: ({ maxMs, resources, mutations }, { ports, fired }) =>
    ports.reads.delay({ resources, maxMs, mutations, fired: (span) => fired(span) }),
});

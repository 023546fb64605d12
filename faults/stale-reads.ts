import { z } from 'zod';
import { STALE_RESOURCES } from '../world/ports.ts';
import { defineFault } from './fault.ts';

/** The longest time that EC2 documents until a change is visible. */
const MAX_AGE_MS = 300_000;

const params = z.strictObject({
  maxMs: z
    .number()
    .int()
    .positive()
    .max(MAX_AGE_MS)
    .default(30_000)
    .describe('maximum age of a read; EC2 is usually well below 30 s, but documents up to 5 minutes'),
  resources: z
    .array(z.enum(STALE_RESOURCES))
    .min(1)
    .default([...STALE_RESOURCES])
    .describe('resources whose changes are seen late; with instances also Auto Scaling groups, their members and activities'),
  mutations: z.boolean().default(false).describe('whether TerminateInstances, CreateTags and CreateFleet do not know new resources either'),
});

/**
 * Reads show recent changes only after a while: a new instance is not found, a terminated one still runs, a new launch template
 * does not exist, a group has the size and members that it had before. Once a change was visible, it stays visible. Legal: EC2 is
 * eventually consistent. Sources: "Eventual consistency in the Amazon EC2 API"; for groups, whose documentation does not mention it,
 * what spinnaker/orca#2746 and aws/aws-sdk-go#2388 saw.
 */
export const staleReads = defineFault({
  name: 'stale-reads',
  summary: 'reads of EC2 and Auto Scaling show recent changes late, and omit resources that were just created',
  params,
  legal: true,
  capabilities: () => ['reads.stale'],
  color: '#4d7c0f',
  describe: ({ maxMs, resources, mutations }) =>
    `changes of ${resources.join(' and ')} are seen up to ${maxMs / 1_000} s late${mutations ? ', by requests that change them too' : ''}`,
  inject: ({ maxMs, resources, mutations }, { ports, fired }) =>
    ports.reads.delay({ resources, maxMs, mutations, fired: (span) => fired(span) }),
});

import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams, wiresOf } from './trigger-params.ts';

const params = z.strictObject({
  ...triggerParams,
  applied: z.boolean().default(false).describe('only answers to requests that changed the world, not to replays that change nothing more'),
  code: z.enum(['ECONNRESET', 'ETIMEDOUT']).default('ECONNRESET').describe("error code of the target's socket"),
});

const dryRun = z.object({ DryRun: z.literal(true) });

/** A request takes effect but its response never arrives. EC2 dry runs get theirs: they have no effect. Legal: networks do that. */
export const lostAnswer = defineFault({
  name: 'lost-answer',
  summary: 'a request takes effect, but the connection breaks before its answer arrives',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#7c3aed',
  fis: ['aws:eks:pod-network-packet-loss'],
  chaosMesh: ['NetworkChaos partition'],
  describe: ({ operations, when, code }) => `the answer to ${describeWhen(when)} ${describeOperations(operations)} is lost (${code})`,
  inject: ({ operations, when, code, applied }, { arm, fired }) =>
    arm({
      trigger: { match: { operations, where: isNoDryRun, ...(applied ? { applied } : {}) }, when, moment: 'after' },
      effect: { kind: 'break', code },
      fired: (span) => fired(span),
    }),
});

/** A dry run has no effect by design: a lost response to a mere permission check is not what this fault tests. */
function isNoDryRun({ mutating, input }: Operation): boolean {
  return mutating || !dryRun.safeParse(input).success;
}

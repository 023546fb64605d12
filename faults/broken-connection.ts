import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams, wiresOf } from './trigger-params.ts';

const params = z.strictObject({
  ...triggerParams,
  code: z.enum(['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE']).default('ECONNRESET').describe("error code of the target's socket"),
});

/** A connection breaks before its request has left: it never arrives. Legal: networks do that. */
export const brokenConnection = defineFault({
  name: 'broken-connection',
  summary: 'connections are reset, refused or time out before the request arrives',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#9333ea',
  fis: ['aws:network:disrupt-connectivity', 'aws:eks:pod-network-blackhole-port'],
  chaosMesh: ['NetworkChaos partition'],
  describe: ({ operations, when, code }) => `${describeWhen(when)} ${describeOperations(operations)} never arrives (${code})`,
  inject: ({ operations, when, code }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when, moment: 'before' },
      effect: { kind: 'break', code },
      fired: (span) => fired(span),
    }),
});

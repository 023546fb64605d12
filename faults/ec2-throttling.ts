import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeWhen, triggerParams } from './trigger-params.ts';

const operations = z
  .array(z.string().regex(/^((ec2|autoscaling):[A-Za-z]+|\*)$/, 'an operation of EC2 or EC2 Auto Scaling such as ec2:CreateFleet, or *'))
  .min(1)
  .meta({ description: 'operations of EC2 and EC2 Auto Scaling as named in histories; * for all', examples: [['ec2:CreateFleet']] });

const params = z.discriminatedUnion('by', [
  /** Buckets shrink: a client that keeps to the refill rate is served. */
  z.strictObject({
    by: z.literal('bucket'),
    operations,
    capacity: z.number().int().nonnegative().describe('tokens in a full bucket; each operation has its own bucket'),
    refillPerSecond: z.number().nonnegative().describe('tokens added per second'),
    tokens: z.number().int().nonnegative().optional().describe('tokens in the bucket at the start; by default it is full'),
  }),
  /** Requests are refused by count, at any rate, as if others in the account used up the buckets. */
  z.strictObject({
    by: z.literal('rate'),
    operations,
    when: triggerParams.when,
    insideFleet: z
      .boolean()
      .default(false)
      .describe("CreateFleet answers 200 with no instances and the throttling error in the fleet's errors"),
  }),
]);

const REFUSAL = { code: 'RequestLimitExceeded', message: 'Request limit exceeded.' } as const;
/** Source: "Common errors" of EC2 Auto Scaling. */
const GROUPS_REFUSAL = { status: 400, code: 'Throttling', message: 'Rate exceeded' } as const;

/**
 * EC2 refuses requests with RequestLimitExceeded. Legal: buckets belong to the account, and AWS changes them without notice.
 * That the error may be inside a fleet's response was suspected in aws/karpenter-provider-aws#8923.
 */
export const ec2Throttling = defineFault({
  name: 'ec2-throttling',
  summary: 'EC2 refuses requests with RequestLimitExceeded, by small request buckets or by a trigger',
  params: params.refine(
    (given) => given.by === 'bucket' || !given.insideFleet || given.operations.every((one) => one === 'ec2:CreateFleet'),
    {
      path: ['insideFleet'],
      message: 'insideFleet requires ec2:CreateFleet: only its answer can contain errors',
    },
  ),
  legal: true,
  capabilities: ({ by }) => [by === 'bucket' ? 'api.throttle' : 'wire.aws'],
  color: '#ca8a04',
  fis: ['aws:fis:inject-api-throttle-error'],
  describe: (given) => {
    const names = given.operations.map((one) => (one === '*' ? 'every EC2 operation' : one)).join(' and ');
    if (given.by === 'bucket') return `${names}: a bucket of ${given.capacity} requests, refilled by ${given.refillPerSecond}/s`;
    const where = given.insideFleet ? ' among the errors of its fleet' : '';
    return `${describeWhen(given.when)} ${names} is refused with RequestLimitExceeded${where}`;
  },
  inject: (given, { arm, ports, fired }) => {
    if (given.by === 'bucket') {
      const { operations: names, capacity, refillPerSecond, tokens = capacity } = given;
      return ports.throttle.limit({ operations: names, capacity, refillPerSecond, tokens, fired: (span) => fired(span) });
    }
    return arm({
      trigger: {
        match: { operations: given.operations, where: ({ wire, name }) => wire === 'aws' && /^(ec2|autoscaling):/.test(name) },
        when: given.when,
        moment: 'before',
      },
      effect: {
        kind: 'refuse',
        refusal: ({ name }) => (name.startsWith('ec2:') ? { status: given.insideFleet ? 200 : 503, ...REFUSAL } : GROUPS_REFUSAL),
      },
      fired: (span) => fired(span),
    });
  },
});

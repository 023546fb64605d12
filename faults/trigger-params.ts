import { z } from 'zod';
import type { Capability } from '../history/capabilities.ts';
import type { When } from '../wire/effects.ts';

/** The requests of the target that a wire fault affects, as parameters. */
export const triggerParams = {
  operations: z
    .array(z.string().min(1))
    .min(1)
    .meta({
      description: 'operations as named in histories, such as ec2:CreateFleet or patch nodeclaims/status; * for all',
      examples: [['ec2:CreateFleet'], ['patch nodeclaims/status'], ['*']],
    }),
  when: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('always') }),
      z.strictObject({ kind: z.literal('first'), count: z.number().int().positive() }),
      z.strictObject({ kind: z.literal('every'), nth: z.number().int().positive() }),
      z.strictObject({ kind: z.literal('nth'), nth: z.number().int().positive() }),
      z.strictObject({ kind: z.literal('probability'), probability: z.number().min(0).max(1) }),
      z.strictObject({ kind: z.literal('window'), fromMs: z.number().nonnegative(), toMs: z.number().positive() }),
    ])
    .default({ kind: 'first', count: 1 })
    .describe('which of the matching requests, counted from when the fault is armed'),
};

const AWS_OPERATION = /^(ec2|autoscaling|sqs|ssm):/;

/** Operations on the Kubernetes wire, as parameters. */
export const kubeOperations = z.array(z.string().regex(/^([a-z]+ .+|\*)$/, 'a Kubernetes operation such as list pods, or *')).min(1);

/** The wires of these operations: a fault needs to observe and disturb them. */
export function wiresOf(operations: readonly string[]): Capability[] {
  const isKube = operations.some((name) => !AWS_OPERATION.test(name));
  const isAws = operations.some((name) => name === '*' || AWS_OPERATION.test(name));
  return [...(isKube ? (['wire.kube'] as const) : []), ...(isAws ? (['wire.aws'] as const) : [])];
}

/** If there are more operations, the rest is counted: the parameters of the fault list them all. */
const MAX_OPERATIONS_NAMED = 4;

/** `ec2:CreateFleet or ec2:RunInstances` */
export function describeOperations(operations: readonly string[]): string {
  if (operations.length <= MAX_OPERATIONS_NAMED) return operations.join(' or ');
  const named = operations.slice(0, MAX_OPERATIONS_NAMED - 1);
  return `${named.join(', ')} or one of ${operations.length - named.length} others`;
}

/** The trigger in words. */
export function describeWhen(when: When): string {
  switch (when.kind) {
    case 'always':
      return 'every';
    case 'first':
      return when.count === 1 ? 'the first' : `the first ${when.count}`;
    case 'every':
      return `every ${when.nth}th`;
    case 'nth':
      return `number ${when.nth} of`;
    case 'probability':
      return `${when.probability * 100} % of`;
    case 'window':
      return `from ${when.fromMs / 1000} s to ${when.toMs / 1000} s every`;
  }
}

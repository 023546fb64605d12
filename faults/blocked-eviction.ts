import { z } from 'zod';
import type { Refusal } from '../wire/effects.ts';
import { defineFault } from './fault.ts';
import { describeWhen, triggerParams } from './trigger-params.ts';

const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Source: `pkg/registry/core/pod/storage/eviction.go` of Kubernetes. */
const REFUSALS = {
  budget: { status: 429, code: 'TooManyRequests', message: VIOLATES },
  'unobserved-budget': { status: 429, code: 'TooManyRequests', message: VIOLATES, retryAfterSeconds: 10 },
  'two-budgets': {
    status: 500,
    code: '',
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  },
} as const satisfies Record<string, Refusal>;

const params = z.strictObject({
  when: triggerParams.when.default({ kind: 'always' }),
  why: z
    .enum(['budget', 'unobserved-budget', 'two-budgets'])
    .default('budget')
    .describe(
      '429: the budget allows no more disruptions, or its controller has not processed it yet (with Retry-After); 500: two budgets select the pod',
    ),
});

/** Evictions are refused because of budgets that the target can't see. Legal: users write such budgets. */
export const blockedEviction = defineFault({
  name: 'blocked-eviction',
  summary: 'the API server refuses evictions, as if a PodDisruptionBudget were used up or two budgets selected the pod',
  params,
  legal: true,
  capabilities: () => ['wire.kube'],
  color: '#a16207',
  describe: ({ when, why }) => `${describeWhen(when)} eviction is refused with ${REFUSALS[why].status} (${why})`,
  inject: ({ when, why }, { arm, fired }) =>
    arm({
      trigger: { match: { operations: ['create pods/eviction'] }, when, moment: 'before' },
      effect: { kind: 'refuse', refusal: REFUSALS[why] },
      fired: (span) => fired(span),
    }),
});

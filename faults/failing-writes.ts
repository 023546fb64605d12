import { z } from 'zod';
import type { Refusal } from '../wire/effects.ts';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, kubeOperations, triggerParams } from './trigger-params.ts';

const REFUSALS = {
  /** etcd's alarm NOSPACE, as the API server passes it on. */
  'etcd-full': { status: 500, code: '', message: 'etcdserver: mvcc: database space exceeded' },
  /** An unreachable webhook with `failurePolicy: Fail`. Source: `k8s.io/apiserver/pkg/admission/plugin/webhook`. */
  webhook: {
    status: 500,
    code: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "validate.example.com": failed to call webhook: ' +
      'Post "https://validate.example.svc:443/validate?timeout=10s": context deadline exceeded',
  },
} as const satisfies Record<string, Refusal>;

const params = z.strictObject({
  ...triggerParams,
  operations: kubeOperations
    .default(['*'])
    .describe('operations as named in histories, such as patch nodes; * for all writes on the Kubernetes wire'),
  when: triggerParams.when.default({ kind: 'always' }),
  why: z.enum(['etcd-full', 'webhook']).default('etcd-full').describe('etcd is full, or an admission webhook is down'),
});

/** Writes to the cluster fail while reads still work. Legal: a full etcd and a dead webhook do that. */
export const failingWrites = defineFault({
  name: 'failing-writes',
  summary: 'the API server fails writes with 500 while reads and watches work',
  params,
  legal: true,
  capabilities: () => ['wire.kube'],
  color: '#b91c5c',
  describe: ({ operations, when, why }) => {
    const names = describeOperations(operations.map((one) => (one === '*' ? 'write to the cluster' : one)));
    return `${describeWhen(when)} ${names} is refused with 500: ${why === 'webhook' ? 'a webhook is down' : 'etcd is full'}`;
  },
  inject: ({ operations, when, why }, { arm, fired }) =>
    arm({
      trigger: { match: { operations, where: ({ wire, mutating }) => wire === 'kube' && mutating }, when, moment: 'before' },
      effect: { kind: 'refuse', refusal: REFUSALS[why] },
      fired: (span) => fired(span),
    }),
});

import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, kubeOperations, triggerParams } from './trigger-params.ts';

/** The API server's response bodies for refused requests. */
const BODIES = {
  /** A Status, as from a watch cache that is not ready (`k8s.io/apiserver/pkg/storage/cacher/ready.go`). */
  status: { message: 'storage is (re)initializing', plain: false },
  /** Plain text, as from priority and fairness (`k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go`). */
  plain: { message: 'Too many requests, please try again later.', plain: true },
} as const;

const params = z.strictObject({
  ...triggerParams,
  operations: kubeOperations
    .default(['*'])
    .describe('operations as named in histories, such as list pods; * for all requests on the Kubernetes wire'),
  writes: z.boolean().default(false).describe('only requests that may change the cluster'),
  retryAfterSeconds: z.number().int().positive().default(1).describe("seconds in the answer's Retry-After header"),
  body: z
    .enum(['plain', 'status'])
    .default('plain')
    .describe('plain text, as from priority and fairness, or a Status, as from a watch cache that is not ready'),
});

/** The API server refuses requests with 429 and `Retry-After`. Legal: it may do so to any client at any time. */
export const kubeThrottling = defineFault({
  name: 'kube-throttling',
  summary: 'the API server refuses requests with 429 Too Many Requests and Retry-After',
  params,
  legal: true,
  capabilities: () => ['wire.kube'],
  color: '#b45309',
  describe: ({ operations, when, writes, retryAfterSeconds, body }) => {
    const all = writes ? 'Kubernetes write' : 'Kubernetes request';
    const names = describeOperations(operations.map((one) => (one === '*' ? all : one)));
    const how = body === 'plain' ? 'in plain text' : 'with a Status';
    return `${describeWhen(when)} ${names} is refused with 429 ${how}, Retry-After ${retryAfterSeconds} s`;
  },
  inject: ({ operations, when, writes, retryAfterSeconds, body }, { arm, fired }) =>
    arm({
      trigger: { match: { operations, where: ({ wire, mutating }) => wire === 'kube' && (mutating || !writes) }, when, moment: 'before' },
      effect: { kind: 'refuse', refusal: { status: 429, code: 'TooManyRequests', retryAfterSeconds, ...BODIES[body] } },
      fired: (span) => fired(span),
    }),
});

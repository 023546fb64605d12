import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';
import { newNamespace, pod, post, remove, within } from './policy-case.ts';

/* Tokens of service accounts, and what the server says about them. */

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const TOKENS = '/api/v1/namespaces/OWN/serviceaccounts/mine/token';
const LOOK = [
  'status.authenticated',
  'status.error',
  'status.audiences.0',
  'status.audiences.#',
  'status.user.username',
  'status.user.uid',
  'status.user.groups',
];
/** Its values differ from server to server. */
const EXTRA = 'status.user.extra.#';

const review = (audiences: unknown, token = 'TOKEN'): Step => {
  return post(REVIEWS, { spec: { token, ...defined({ audiences }) } }, [...LOOK, EXTRA]);
};
const token = (spec: object): Step => ({
  ...post(TOKENS, { spec }, ['spec.audiences.0', 'spec.audiences.#', 'spec.expirationSeconds', 'spec.boundObjectRef', 'metadata.name']),
  keep: { TOKEN: 'status.token' },
});
const bound = (boundObjectRef: object): Step => token({ boundObjectRef });

export const TOKEN_CASES: readonly ApiCase[] = [
  {
    id: 'token-audiences',
    steps: [
      ...newNamespace('token-audiences'),
      ...[
        token({ audiences: ['other'] }),
        review(undefined),
        review([]),
        review(['nope']),
        review(['other']),
        review(['nope', 'other']),
        token({ audiences: ['other', 'more'] }),
        review(['more', 'other']),
        review(['other']),
        token({}),
        review(undefined),
        review(['nope']),
        review(['nope'], 'x.y.z'),
        review(undefined, 'x'),
        review(undefined, ''),
        post(REVIEWS, {}, LOOK),
        token({ audiences: [''] }),
        token({ expirationSeconds: 599 }),
      ].map(within('token-audiences')),
    ],
  },
  {
    id: 'token-bound',
    steps: [
      ...newNamespace('token-bound'),
      ...[
        bound({ kind: 'Pod', apiVersion: 'v1', name: 'none' }),
        bound({ kind: 'Secret', apiVersion: 'v1', name: 'none' }),
        bound({ kind: 'Node', apiVersion: 'v1', name: 'none' }),
        bound({ kind: 'ConfigMap', apiVersion: 'v1', name: 'none' }),
        bound({ kind: 'Pod', apiVersion: 'v2', name: 'none' }),
        bound({ kind: 'Pod', name: 'none' }),
        bound({}),
        post('NAMESPACE/secrets', { metadata: { name: 'mine' } }),
        bound({ kind: 'Secret', apiVersion: 'v1', name: 'mine' }),
        review(undefined),
        bound({ kind: 'Secret', apiVersion: 'v1', name: 'mine', uid: 'x' }),
        bound({ kind: 'Secret', apiVersion: 'v1', name: 'mine' }),
        remove('NAMESPACE/secrets/mine'),
        remove('NAMESPACE/secrets/mine'),
        review(undefined),
        pod('free'),
        bound({ kind: 'Pod', apiVersion: 'v1', name: 'free' }),
        review(undefined),
        post('NAMESPACE/serviceaccounts', { metadata: { name: 'other' } }),
        pod('other', {}, { serviceAccountName: 'other' }),
        bound({ kind: 'Pod', apiVersion: 'v1', name: 'other' }),
        post('/api/v1/nodes', { metadata: { name: 'token-bound' } }),
        bound({ kind: 'Node', apiVersion: 'v1', name: 'token-bound' }),
        review(undefined),
        remove('/api/v1/nodes/token-bound'),
        token({}),
        remove('NAMESPACE/serviceaccounts/mine'),
        remove('NAMESPACE/serviceaccounts/mine'),
        review(undefined),
        post('NAMESPACE/serviceaccounts', { metadata: { name: 'mine' } }),
        { method: 'GET' as const, path: 'NAMESPACE/serviceaccounts/mine' },
        review(undefined),
      ].map(within('token-bound')),
    ],
  },
];

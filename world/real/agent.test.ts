import { expect, test } from '@playwright/test';
import { PRINCIPALS } from '../../model/operation.ts';
import { agentOf, principalOfManager } from './agent.ts';

test('the principal can be recovered from the field manager that an API server derives from a user agent', () => {
  for (const principal of PRINCIPALS) {
    // Source: apiserver `pkg/endpoints/handlers/create.go`, prefixFromUserAgent: the part before the first slash.
    const [manager = ''] = agentOf(principal)['user-agent'].split('/');
    expect(principalOfManager(manager)).toBe(principal);
  }
});

for (const [manager, principal] of [
  ['kube-scheduler', 'scheduler'],
  ['kube-controller-manager', undefined],
  ['scaleproof-', undefined],
  ['scaleproof-somebody', undefined],
  ['kubectl-client-side-apply', undefined],
  ['', undefined],
] as const) {
  test(`the manager "${manager}" is ${principal ?? 'none of ours'}`, () => {
    expect(principalOfManager(manager)).toBe(principal);
  });
}

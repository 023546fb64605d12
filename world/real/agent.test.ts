import { expect, test } from '@playwright/test';
import { PRINCIPALS } from '../../model/operation.ts';
import { agentOf, principalOfManager } from './agent.ts';

test('who speaks is found again in the manager that an API server makes of a user agent', () => {
  for (const principal of PRINCIPALS) {
    // Source: apiserver `pkg/endpoints/handlers/create.go`, prefixFromUserAgent: what stands before the first slash.
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

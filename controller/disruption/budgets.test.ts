import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import type { Budget, NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { allowedDisruptions } from './budgets.ts';
import { createReservations } from './reservations.ts';

/** A pool with this many initialized nodes, of which some are being deleted, not ready, or reserved. */
function stateOf(budgets: Budget[] | undefined, total: number, deleting = 0, notReady = 0, reserved = 0): Context {
  const names = Array.from({ length: total }, (_, index) => `n${index}`);
  const claims = names.map((name, index) => ({
    metadata: {
      name,
      uid: name,
      labels: { 'karpenter.sh/nodepool': 'default' },
      ...(index < deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: { providerID: name, conditions: [{ type: 'Initialized', status: 'True' }] },
  })) as unknown as NodeClaim[];
  const nodes = names.map((name, index) => ({
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: index >= total - notReady ? 'Unknown' : 'True' }] },
  })) as Node[];
  const pool = { metadata: { name: 'default' }, spec: { disruption: budgets === undefined ? {} : { budgets } } } as unknown as NodePool;
  const state = {
    pools: { get: () => pool },
    claims: { list: () => claims },
    nodesOf: (id: string) => nodes.filter(({ metadata }) => metadata.name === id),
  };
  const reservations = createReservations();
  reservations.reserve(claims.slice(deleting, deleting + reserved));
  return { state, reservations } as unknown as Context;
}

for (const [name, context, allowed] of [
  ['by default a tenth, rounded up', stateOf(undefined, 11), 2],
  ['a number', stateOf([{ nodes: '3' }], 10), 3],
  ['the smallest budget counts', stateOf([{ nodes: '50%' }, { nodes: '2' }], 10), 2],
  ['for other reasons only', stateOf([{ nodes: '0', reasons: ['Drifted'] }, { nodes: '100%' }], 10), 10],
  ['minus nodes that are being removed or not ready', stateOf([{ nodes: '50%' }], 10, 2, 1), 2],
  ['minus reserved nodes', stateOf([{ nodes: '50%' }], 10, 1, 0, 3), 1],
  ['never negative', stateOf([{ nodes: '1' }], 10, 3), 0],
  ['an active schedule', stateOf([{ nodes: '0', schedule: '@daily', duration: '1h' }], 10), 0],
  ['an inactive schedule', stateOf([{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }], 10), Infinity],
  ['an invalid schedule allows nothing', stateOf([{ nodes: '5', schedule: 'soon', duration: '1h' }], 10), 0],
  ['an invalid number allows nothing', stateOf([{ nodes: 'many' }], 10), 0],
] as const) {
  test(`budgets: ${name}`, () => {
    expect(allowedDisruptions(context, 'default', 'Empty', Date.parse('2026-01-01T00:30:00Z'))).toBe(allowed);
  });
}

test('released nodes are allowed again', () => {
  const context = stateOf([{ nodes: '2' }], 10, 0, 0, 2);
  expect(allowedDisruptions(context, 'default', 'Empty', 0)).toBe(0);
  expect(context.reservations.count('default')).toBe(2);
  context.reservations.release(context.state.claims.list());
  expect(allowedDisruptions(context, 'default', 'Empty', 0)).toBe(2);
  expect(context.reservations.count('default')).toBe(0);
});

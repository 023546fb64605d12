import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import { CONDITION, DISRUPTED_TAINT } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { createReservations } from '../disruption/reservations.ts';
import { STANDARD } from '../periods.ts';
import { readNodes } from './nodes.ts';

/** A node with the disruption taint, with a claim of ours or of another autoscaler. */
function taintsSeen({ isOurs = true, isDeleting = false, isReserved = true, isSettled = false }): string[] {
  const claim = {
    metadata: { name: 'a', uid: 'a', ...(isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: {},
    status: { providerID: 'a', conditions: [{ type: CONDITION.initialized, status: 'True' }] },
  } as unknown as NodeClaim;
  const node = {
    metadata: { name: 'a', uid: 'a' },
    spec: { providerID: 'a', taints: [{ key: 'team', effect: 'NoSchedule' }, DISRUPTED_TAINT] },
    status: { allocatable: { cpu: '2' } },
  } as Node;
  const reservations = createReservations();
  if (isReserved) reservations.reserve([claim]);
  if (isSettled) reservations.settle([claim]);
  const context = {
    runtime: { clock: { nowMs: () => 0 } },
    periods: STANDARD,
    reservations,
    state: {
      daemonSets: { list: () => [] },
      nodes: { list: () => [node] },
      claims: { list: () => (isOurs ? [claim] : []) },
      podsOn: () => [],
    },
  } as unknown as Context;
  return readNodes(context).flatMap(({ taints }) => taints.map(({ key }) => key));
}

test('a node that is tainted for a check takes pods until its removal is final', () => {
  expect(taintsSeen({})).toEqual(['team']);
  expect(taintsSeen({ isSettled: true })).toEqual(['team', DISRUPTED_TAINT.key]);
});

test('a taint that a predecessor left, or that is being removed, is ignored', () => {
  expect(taintsSeen({ isReserved: false })).toEqual(['team']);
});

test('the taint of a node that is being removed, or is not ours, counts', () => {
  expect(taintsSeen({ isDeleting: true })).toContain(DISRUPTED_TAINT.key);
  expect(taintsSeen({ isOurs: false })).toContain(DISRUPTED_TAINT.key);
});

test('a new reservation is not final', () => {
  const reservations = createReservations();
  const claims = [{ metadata: { name: 'a', uid: 'a', labels: {} }, spec: {} }] as unknown as NodeClaim[];
  const [claim] = claims;
  if (claim === undefined) throw new Error('no claim');
  reservations.reserve(claims);
  reservations.settle(claims);
  expect(reservations.isSettled(claim)).toBe(true);
  reservations.reserve(claims);
  expect(reservations.isSettled(claim)).toBe(false);
  reservations.settle(claims);
  reservations.release(claims);
  expect(reservations.isSettled(claim)).toBe(false);
});

import { expect, test } from '@playwright/test';
import type { Node, Pod } from '../../model/kube.ts';
import { KARPENTER } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { EVERY_POOL } from '../scope.ts';
import { waitingPods } from './waiting.ts';

const OPTED_OUT = { [KARPENTER.doNotDisrupt]: 'true' };

function pod(name: string, annotations: Record<string, string> = {}, status: Pod['status'] = { phase: 'Running' }): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }];
  return { metadata: { name, uid: name, annotations, ownerReferences }, spec: { containers: [], nodeName: 'n' }, status };
}

/** The names of the pods on a node that wait for another one. */
function waiting(pods: readonly Pod[], isLeaving = true): string[] {
  const deletionTimestamp = isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const claim = { metadata: { name: 'c', uid: 'c', ...deletionTimestamp }, spec: {}, status: { providerID: 'i' } } as unknown as NodeClaim;
  const node: Node = { metadata: { name: 'n', uid: 'n' }, spec: { providerID: 'i' } };
  const state = {
    unboundPods: () => [],
    nodesWithPods: () => ['n'],
    podsOn: () => pods,
    nodes: { get: () => node },
    nodesOf: () => [node],
    claims: { list: () => [claim] },
    claimsOf: () => [claim],
  };
  return waitingPods({ state, scope: EVERY_POOL } as unknown as Context).map(({ metadata }) => metadata.name ?? '');
}

test('pods of a node that is being removed wait for another one, unless they opted out of disruption', () => {
  expect(waiting([pod('moves'), pod('stays', OPTED_OUT)])).toEqual(['moves']);
  expect(waiting([pod('stays', OPTED_OUT)])).toEqual([]);
});

test('pods with another value of the annotation wait, too', () => {
  expect(waiting([pod('moves', { [KARPENTER.doNotDisrupt]: 'false' })])).toEqual(['moves']);
});

test('pods of a node that stays, and pods that have ended, wait for nothing', () => {
  expect(waiting([pod('runs')], false)).toEqual([]);
  expect(waiting([pod('ended', {}, { phase: 'Succeeded' })])).toEqual([]);
});

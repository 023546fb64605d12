import { expect, test } from '@playwright/test';
import type { Node, Pod } from '../../model/kube.ts';
import type { NodeClaim } from '../api.ts';
import { CONDITION, KARPENTER } from '../api.ts';
import type { Context } from '../context.ts';
import { STANDARD } from '../periods.ts';
import type { Candidate } from './candidates.ts';
import { COMMAND_RULES, createCommands } from './commands.ts';
import { createEmptiness } from './emptiness.ts';
import { createReservations } from './reservations.ts';

interface Cluster {
  readonly context: Context;
  readonly claims: readonly NodeClaim[];
  readonly candidates: readonly Candidate[];
  /** Names of claims whose deletion fails for now. */
  readonly stuck: Set<string>;
  readonly deleted: string[];
  readonly pods: Pod[];
}

/** Empty nodes of a pool that allows to disrupt all; requests take effect at once. */
function clusterOf(names: readonly string[]): Cluster {
  const claims = names.map((name) => ({
    metadata: { name, uid: name, labels: { [KARPENTER.nodePool]: 'default' } },
    spec: {},
    status: { providerID: name, nodeName: name, conditions: [{ type: CONDITION.initialized, status: 'True' }] },
  })) as unknown as NodeClaim[];
  const nodes = names.map((name) => ({
    metadata: { name, uid: name },
    spec: { providerID: name },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })) as Node[];
  const pool = { metadata: { name: 'default' }, spec: { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } } };
  const stuck = new Set<string>();
  const deleted: string[] = [];
  const pods: Pod[] = [];
  const counter = { inc: () => undefined, observe: () => undefined };
  const nodeOf = (name: string): Node | undefined => nodes.find(({ metadata }) => metadata.name === name);
  const claimOf = (name: string): NodeClaim | undefined => claims.find((one) => one.metadata.name === name && !deleted.includes(name));
  const context = {
    runtime: { clock: { nowMs: () => 0 }, log: () => undefined, signal: new AbortController().signal },
    periods: STANDARD,
    reservations: createReservations(),
    nominations: { has: () => false, nominate: () => undefined },
    metrics: { nodeClaimsDisrupted: counter, disruptionDecisions: counter, failedValidations: counter, decisionEvaluation: counter },
    state: {
      pools: { get: () => pool },
      claims: {
        list: () => claims.filter(({ metadata }) => !deleted.includes(metadata.name ?? '')),
        get: claimOf,
        forget: () => undefined,
        remember: () => undefined,
      },
      nodes: { get: nodeOf, remember: () => undefined, onChange: () => () => undefined },
      pods: { onChange: () => () => undefined },
      nodesOf: (id: string) => nodes.filter(({ metadata }) => metadata.name === id),
      podsOn: (name: string) => pods.filter(({ spec }) => spec.nodeName === name),
      freshPods: () => Promise.resolve(pods),
    },
    kube: {
      get: ({ name }: { name: string }) => Promise.resolve(claimOf(name)),
      patch: ({ name }: { name: string }) => Promise.resolve(nodeOf(name)),
      delete: ({ name }: { name: string }) => {
        if (stuck.has(name)) return Promise.reject(new Error('not now'));
        deleted.push(name);
        return Promise.resolve();
      },
    },
  } as unknown as Context;
  const candidates = claims.map((claim, index) => ({ claim, node: nodes[index], pool, pods: [] }) as unknown as Candidate);
  return { context, claims, candidates, stuck, deleted, pods };
}

test('a blocked command blocks neither the others nor the caller that starts it', async () => {
  const { context, candidates, stuck, deleted } = clusterOf(['a', 'b']);
  const commands = createCommands(context, { veto: () => undefined, ...COMMAND_RULES });
  stuck.add('a').add('b');
  for (const candidate of candidates) {
    expect(await commands.start({ reason: 'Drifted', type: '', candidates: [candidate], replacements: [] })).toBe(true);
  }
  stuck.delete('b');
  await commands.proceed();
  expect(deleted).toEqual(['b']);
  expect(context.reservations.count('default'), 'a running command counts against the budget').toBe(1);
  stuck.delete('a');
  await commands.proceed();
  expect(deleted).toEqual(['b', 'a']);
  expect(context.reservations.count('default')).toBe(0);
});

test("an abandoned command's nodes are no longer reserved", async () => {
  const { context, candidates } = clusterOf(['a']);
  const commands = createCommands(context, { ...COMMAND_RULES, veto: () => 'it must stay' });
  const starting = commands.start({ reason: 'Drifted', type: '', candidates, replacements: [] });
  expect(context.reservations.count('default'), 'from the first moment on').toBe(1);
  expect(await starting).toBe(false);
  expect(context.reservations.count('default')).toBe(0);
});

test("an empty node that can't be deleted blocks no other, and none stays reserved after a sweep", async () => {
  const { context, stuck, deleted } = clusterOf(['a', 'b', 'c']);
  stuck.add('a');
  const emptiness = createEmptiness(context, { involves: () => false });
  const looking = emptiness.sweep();
  expect(context.reservations.count('default')).toBe(3);
  await looking;
  expect(deleted).toEqual(['b', 'c']);
  expect(context.reservations.count('default')).toBe(0);
});

test('an empty node that another command has chosen is skipped', async () => {
  const { context, claims, deleted } = clusterOf(['a', 'b']);
  context.reservations.reserve(claims.slice(0, 1));
  await createEmptiness(context, { involves: () => false }).sweep();
  expect(deleted).toEqual(['b']);
});

for (const [what, annotations, gone] of [
  ['a DaemonSet pod does not keep its node', {}, ['a']],
  ['one that opted out of disruption does', { [KARPENTER.doNotDisrupt]: 'true' }, []],
] as const) {
  test(what, async () => {
    const { context, deleted, pods } = clusterOf(['a']);
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true }];
    pods.push({
      metadata: { name: 'agent', namespace: 'default', uid: 'agent-1', ownerReferences, annotations },
      spec: { nodeName: 'a' },
    } as Pod);
    await createEmptiness(context, { involves: () => false }).sweep();
    expect(deleted).toEqual(gone);
  });
}

import { expect, test } from '@playwright/test';
import { createRandom } from '../../../runtime/random.ts';
import { SchedulerCache } from '../../../world/scheduler/cache.ts';
import type { SchedulerCase } from './cases/case.ts';
import { decide } from '../../../world/scheduler/decide.ts';
import type { Decision } from '../../../world/scheduler/decide.ts';
import { FOLLOWED } from '../../../world/scheduler/object-cache.ts';
import type { Followed } from '../../../world/scheduler/object-cache.ts';
import { podInfo } from '../../../world/scheduler/pod-info.ts';
import { SCHEDULER_CASES } from './cases.ts';

/** Seeds for breaking ties: enough that each allowed node is chosen at least once. */
const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

function clusterOf({ nodes, objects = [], pods = [] }: SchedulerCase): SchedulerCache {
  const cache = new SchedulerCache();
  for (const { resource, object } of objects) {
    const followed: readonly string[] = FOLLOWED;
    // Other objects are only for the admission of pods.
    if (followed.includes(resource)) cache.objects.set(resource as Followed, object);
  }
  for (const node of nodes) cache.setNode(node);
  for (const one of pods) {
    const { spec, status } = one;
    if (spec.nodeName === undefined) cache.nominate(podInfo(one), status?.nominatedNodeName);
    else cache.assign(podInfo(one), spec.nodeName);
  }
  return cache;
}

function decideAll(situation: SchedulerCase): Decision[] {
  const cache = clusterOf(situation);
  return SEEDS.map((seed) => decide(podInfo(situation.pod), cache, createRandom(seed)));
}

for (const situation of SCHEDULER_CASES) {
  test(`scheduler case: ${situation.id}`, () => {
    const { expected } = situation;
    const decisions = decideAll(situation);
    if ('nodes' in expected) {
      const chosen = decisions.map((decision) => (decision.kind === 'node' ? decision.nodeName : decision.message));
      expect([...new Set(chosen)].sort()).toEqual([...expected.nodes].sort());
      return;
    }
    const messages = decisions.map((decision) => (decision.kind === 'node' ? `on ${decision.nodeName}` : decision.message));
    expect([...new Set(messages)]).toEqual([expected.refused]);
    const victims: Record<string, string[]> = {};
    for (const decision of decisions) {
      if (decision.kind === 'none' && decision.preemption !== undefined) {
        const { nodeName, victims: leaving } = decision.preemption;
        victims[nodeName] = leaving.map(({ pod }) => pod.metadata.name ?? '');
      }
    }
    expect(victims).toEqual('victims' in expected ? expected.victims : {});
  });
}

test('there are at least 200 cases, each with a unique id and a source', () => {
  expect(SCHEDULER_CASES.length).toBeGreaterThanOrEqual(200);
  expect(new Set(SCHEDULER_CASES.map(({ id }) => id)).size).toBe(SCHEDULER_CASES.length);
  for (const { source } of SCHEDULER_CASES) expect(source).toMatch(/^https:\/\/(kubernetes\.io|github\.com\/kubernetes)\//);
});

test('a decision does not change the cluster', () => {
  for (const situation of SCHEDULER_CASES) {
    const cache = clusterOf(situation);
    const look = (): string => {
      return JSON.stringify([
        cache.nodes().map(({ name, load }) => [name, [...load.pods.keys()], load.requested('cpu'), load.assumed('memory')]),
        [...cache.groups()].map(({ labels, counts }) => [labels, [...counts]]),
      ]);
    };
    const before = look();
    decide(podInfo(situation.pod), cache, createRandom(1));
    expect(look(), situation.id).toBe(before);
  }
});

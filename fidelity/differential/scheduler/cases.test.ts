import { expect, test } from '@playwright/test';
import { createRandom } from '../../../runtime/random.ts';
import { decide } from '../../../world/scheduler/decide.ts';
import { podInfo } from '../../../world/scheduler/pod-info.ts';
import { readRecording } from '../recording.ts';
import { SCHEDULER_CASES } from './cases.ts';
import { choicesOf, clusterOf, decisionsOf } from './ours.ts';
import { CASES_RECORDING, decisionsIn } from './recorded-cases.ts';
import type { Decisions } from './recorded-cases.ts';

for (const situation of SCHEDULER_CASES) {
  test(`scheduler case: ${situation.id}`, () => {
    const { id, pod, expected } = situation;
    const { nodes, messages, preemptions } = choicesOf(decisionsOf(podInfo(pod), clusterOf(situation)));
    const ours: Decisions = { id, nodes: [...nodes].sort(), messages: [...messages].sort(), victims: Object.fromEntries(preemptions) };
    expect(ours).toEqual(decisionsIn(id, expected));
  });
}

test('a real scheduler decided as expected in every case', () => {
  const { answers } = readRecording<Decisions>(CASES_RECORDING);
  expect(answers).toEqual(SCHEDULER_CASES.map(({ id, expected }) => decisionsIn(id, expected)));
});

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

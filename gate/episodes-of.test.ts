import { expect, test } from '@playwright/test';
import { judgeView } from '../checks/judge.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import type { HistoryEvent } from '../history/events.ts';
import type { TrialResult } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import type { Episode } from './episode.ts';
import { episodeOf } from './episodes-of.ts';

function episode(events: readonly HistoryEvent[]): Episode {
  const view = createView(events);
  const names = { scenario: 'test/hand-made', title: '', suite: 'test', target: 'x', seed: 7, replay: 'sp1,seed=7', history: 'h' };
  const result: TrialResult = { ...names, ...judgeView(view) };
  return episodeOf(result, view);
}

test('a clean trial is an episode without a violation', () => {
  expect(episode(soundHistory().events)).toMatchObject({
    scenario: 'test/hand-made',
    seed: 7,
    replay: 'sp1,seed=7',
    violations: [],
    success: { served: 1, asked: 1 },
    instances: { created: 1, leaked: 0 },
    requests: 2,
    failedLaunches: 0,
  });
});

test('an unserved pod is not a violation, since it counts in the success rate; an unexplained pod or a leak is one', () => {
  const { events } = new HistoryBuilder()
    .act()
    .expect({ kind: 'settled', bound: 'settle' })
    .workload('web')
    .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
    .at(10)
    .pod('web-1', 'created')
    .launch(1, 'i-1')
    .at(5_000)
    .finish({
      settle: [{ object: 'pods/default/web-1', why: 'it is pending' }],
      remove: [{ object: 'instance/i-1', why: 'it is running' }],
    });
  const { violations, success, verdict, latencies, instances } = episode(events);
  expect(verdict).toBe('fail');
  expect(success).toEqual({ served: 0, asked: 1 });
  expect(instances).toEqual({ created: 1, leaked: 1 });
  expect(new Set(violations.map(({ object, code }) => `${code} ${object}`))).toEqual(
    new Set([
      'leaked-instance instance/i-1',
      'nodeless-instance instance/i-1',
      'not-removed instance/i-1',
      'unexplained pods/default/web-1',
    ]),
  );
  expect(violations.map(({ check }) => check)).toContain('no-leaked-instances');
  expect(latencies.find(({ phase }) => phase === 'pending -> running')?.censoredMs).toEqual([4_992]);
});

import { expect, test } from '@playwright/test';
import { faults } from '../faults/catalogue.ts';
import { never } from '../runtime/clock.ts';
import type { TargetSite } from '../targets/target.ts';
import { scenario } from './scenario.ts';
import { runInProcess } from './testing/in-process.ts';
import { quietTarget } from './testing/quiet-target.ts';

/** A target that is a program: only its own `kill` stops it. */
function program(work: (site: TargetSite) => Promise<void>) {
  const killed: number[] = [];
  let started = 0;
  const target = quietTarget((site) => {
    started += 1;
    const number = started;
    return { ready: Promise.resolve(), done: work(site), kill: () => void killed.push(number) };
  });
  return { target, killed };
}

const nothing = scenario({ id: 'test/nothing', title: 'does nothing', run: () => Promise.resolve() });

test('a program that does not stop when told to is killed', async () => {
  const { target, killed } = program(() => never());
  await runInProcess(nothing, target);
  expect(killed).toEqual([1]);
});

test('a program that a fault kills is killed and restarted', async () => {
  const crash = scenario({
    id: 'test/crash',
    title: 'killed at its first request',
    async run(t) {
      const when = { kind: 'first', count: 1 } as const;
      const crashed = await t.inject(faults.crash({ operations: ['ec2:DescribeInstances'], when, moment: 'before', applied: false }));
      await t.untilFired(crashed, 'provision');
    },
  });
  const { target, killed } = program(async ({ runtime, aws }) => {
    await runtime.clock.sleep(1_000);
    const body = 'Action=DescribeInstances&Version=2016-11-15';
    void aws({ method: 'POST', path: '/', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
    await never();
  });
  await runInProcess(crash, target);
  expect(killed).toEqual([1, 2]);
});

test('a target that goes on when it is told to stop is killed at the end of its grace period, and that is a finding', async () => {
  const { target, killed } = program(never);
  const { events, judgement } = await runInProcess(nothing, target);
  const [stop] = events.filter(({ type }) => type === 'target.stop');
  expect(events.filter(({ type }) => type === 'target.exit')).toMatchObject([
    { t: (stop?.t ?? 0) + 30_000, provoked: false, overdue: true },
  ]);
  expect(killed).toEqual([1]);
  expect(judgement.checks.flatMap(({ findings }) => findings.map(({ code }) => code))).toEqual(['not-stopped']);
});

test('a panic that the target survived is recorded as an event, not as a log line', async () => {
  const { target } = program(async ({ runtime }) => {
    runtime.log('panic', 'nil map', { at: 'reconcile' });
    await never();
  });
  const { events, judgement } = await runInProcess(nothing, target);
  expect(events.filter(({ type }) => type === 'target.panic')).toMatchObject([
    { incarnation: 1, recovered: true, message: 'nil map {"at":"reconcile"}' },
  ]);
  expect(judgement.checks.flatMap(({ findings }) => findings.map(({ code }) => code))).toEqual(['recovered-panic', 'not-stopped']);
});

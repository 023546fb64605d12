import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { runInProcess } from '../harness/testing/in-process.ts';
import type { HistoryEvent } from '../history/events.ts';
import { reference } from '../targets/reference.ts';
import type { Mix } from './mix.ts';
import { manifestScenarios } from './suite.ts';
import { mixOfDocuments, poolManifest } from './testing/mix.ts';

const POOL = poolManifest('{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}');
const cronJob = (suspend: boolean): string => `
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "0 3 * * *"
  suspend: ${suspend}
  jobTemplate:
    metadata: {labels: {team: data}}
    spec:
      parallelism: 2
      completions: 2
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]
`;
const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]}
`;

/** A pool and these documents. */
function mixOf(testInfo: TestInfo, ...documents: readonly string[]): Promise<Mix> {
  return mixOfDocuments(testInfo, POOL, ...documents);
}

test('a CronJob is one run of it', async ({}, testInfo) => {
  const { workloads, notes } = await mixOf(testInfo, cronJob(false));
  expect(workloads).toMatchObject([
    { title: 'CronJob shop/report', kind: 'Job', replicas: 2, schedule: { text: '0 3 * * *' }, name: 'shop.report.cronjob' },
  ]);
  expect(workloads[0]?.object).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'report-scheduled', namespace: 'shop', labels: { team: 'data' } },
  });
  expect(notes.join('\n')).toContain('CronJob shop/report: run once, whatever its schedule 0 3 * * * says');
});

test('all CronJobs start after everything else runs', async ({}, testInfo) => {
  const { scheduledJobs } = manifestScenarios(await mixOf(testInfo, cronJob(false), WEB));
  if (scheduledJobs === undefined) throw new Error('there is a CronJob');
  const { judgement, events } = await runInProcess(scheduledJobs, reference);
  expect(judgement.verdict).toBe('pass');
  const created = events.flatMap((event) => (event.type === 'workload' ? [event.workload] : []));
  expect(created).toEqual(['default.web', 'shop.report.cronjob']);
});

test('without a CronJob that runs there is no such scenario', async ({}, testInfo) => {
  const { notes, ...mix } = await mixOf(testInfo, cronJob(true), WEB);
  expect(notes.join('\n')).toContain('CronJob shop/report: it is suspended, so it has no pods');
  expect(manifestScenarios({ ...mix, notes })).not.toHaveProperty('scheduledJobs');
});

test('CronJobs start by their schedules, and a run that is due while the one before goes on is left out', async ({}, testInfo) => {
  const every = cronJob(false).replace('0 3 * * *', '*/10 3 1 * *');
  const quick = every.replace('name: report', 'name: sync').replace('*/10 3 1 * *', '* 3 1 * *');
  const { jobSchedules } = manifestScenarios(await mixOf(testInfo, every, quick, WEB));
  if (jobSchedules === undefined) throw new Error('there are runs');
  const { judgement, events } = await runInProcess(jobSchedules, reference);
  expect(judgement.verdict).toBe('pass');
  const created = events.flatMap((event) => (event.type === 'workload' ? [event.workload] : []));
  const minuteOf = (time: string): number => Date.parse(time) / 60_000;
  expect(created.filter((name) => name.includes('report'))).toEqual(
    ['00', '10', '20'].map((minute) => `shop.report.cronjob.${minuteOf(`2026-07-01T03:${minute}Z`)}`),
  );
  const syncs = created.filter((name) => name.includes('sync'));
  expect(syncs.length).toBeGreaterThan(3);
  expect(syncs.length).toBeLessThan(30);
});

test('CronJobs at both ends of a month meet, and each counts once in five minutes', async ({}, testInfo) => {
  const named = (name: string, schedule: string): string =>
    cronJob(false).replace('name: report', `name: ${name}`).replace('0 3 * * *', schedule);
  const monthly = await mixOf(testInfo, named('first', '0 0 1 * *'), named('next', '10 0 1 * *'), WEB);
  expect(monthly.notes.join('\n')).toContain(
    'manifests/job-schedules follows the schedules for half an hour from Wed, 01 Jul 2026 00:00:00 GMT: CronJob shop/first, CronJob shop/next',
  );
  // Six runs of two pods each, not thirty: fewer than the ten runs of the other hour.
  const often = await mixOf(
    testInfo,
    named('often', '* 9 1 * *'),
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => named(name, '0 2 1 * *')),
  );
  expect(often.notes.join('\n')).toMatch(/half an hour from Wed, 01 Jul 2026 02:00:00 GMT: .*; 1 other CronJob does not start then/);
  const go = await mixOf(testInfo, named('sync', '@every 600000000us'), WEB);
  expect(manifestScenarios(go)).toHaveProperty('jobSchedules');
});

test('CronJobs that start no two runs in half an hour follow no schedules', async ({}, testInfo) => {
  expect(manifestScenarios(await mixOf(testInfo, cronJob(false), WEB))).not.toHaveProperty('jobSchedules');
});

const autoscaler = (name: string, maxReplicas: number): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}, minReplicas: 1, maxReplicas: ${maxReplicas}}
`;

/** How many pods there were after each change. */
function podCounts(events: readonly HistoryEvent[]): number[] {
  const changes = events.flatMap((event) => (event.type === 'pod' && (event.to === 'created' || event.to === 'gone') ? [event.to] : []));
  return changes.map((_to, index) => changes.slice(0, index + 1).reduce((sum, to) => sum + (to === 'created' ? 1 : -1), 0));
}

test('a peak of load: workloads with an autoscaler get all of their pods, and lose them again', async ({}, testInfo) => {
  const { loadPeak } = manifestScenarios(await mixOf(testInfo, WEB, autoscaler('web', 8)));
  if (loadPeak === undefined) throw new Error('there is an autoscaler');
  const { judgement, events } = await runInProcess(loadPeak, reference);
  expect(judgement.verdict).toBe('pass');
  const counts = podCounts(events);
  expect(Math.max(...counts)).toBe(8);
  expect(counts.at(-1)).toBe(0);
});

test('a peak that the pools cannot serve is found before any run, and no scenario has it', async ({}, testInfo) => {
  const limited = POOL.replace('spec:\n  template', 'spec:\n  limits: {cpu: 8}\n  template');
  expect(limited).not.toBe(POOL);
  const mix = await mixOfDocuments(testInfo, limited, WEB, autoscaler('web', 8));
  expect(mix.workloads[0]).toMatchObject({ feasibility: { kind: 'servable' }, scaling: { max: 8, peak: { kind: 'partly' } } });
  expect(mix.notes.join('\n')).toContain('Deployment default/web: 1 pod; not scaled to its maxReplicas 8');
  expect(manifestScenarios(mix)).not.toHaveProperty('loadPeak');
});

test('an autoscaler for a workload that is not there is noted', async ({}, testInfo) => {
  const { notes } = await mixOf(testInfo, WEB, autoscaler('api', 8));
  expect(notes.join('\n')).toContain('Deployment default/api: a HorizontalPodAutoscaler scales it, but it is not among the manifests');
});

test('an autoscaler that never adds pods has no peak', async ({}, testInfo) => {
  const disabled = autoscaler('web', 8).replace('maxReplicas: 8}', 'maxReplicas: 8, behavior: {scaleUp: {selectPolicy: Disabled}}}');
  expect(disabled).toContain('Disabled');
  const { notes, ...mix } = await mixOf(testInfo, WEB, disabled);
  expect(notes.join('\n')).toContain('Deployment default/web: 1 pod; not scaled to its maxReplicas 8');
  expect(manifestScenarios({ ...mix, notes })).not.toHaveProperty('loadPeak');
});

test('an autoscaler that is too slow is followed as far as it gets, and back from there', async ({}, testInfo) => {
  const slow = 'maxReplicas: 8, behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 900}]}}}';
  const mix = await mixOf(testInfo, WEB, autoscaler('web', 8).replace('maxReplicas: 8}', slow));
  expect(mix.notes.join('\n')).toContain('manifests/load-peak scales it to 3 of its maxReplicas 8, since it is no faster, and back to 1');
  const { loadPeak } = manifestScenarios(mix);
  if (loadPeak === undefined) throw new Error('there is an autoscaler');
  const { judgement, events } = await runInProcess(loadPeak, reference);
  expect(judgement.verdict).toBe('pass');
  expect(Math.max(...podCounts(events))).toBe(3);
});

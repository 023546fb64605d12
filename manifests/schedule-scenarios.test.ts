import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { runInProcess } from '../harness/testing/in-process.ts';
import { reference } from '../targets/reference.ts';
import type { Mix } from './mix.ts';
import { readMix } from './read-mix.ts';
import { manifestScenarios } from './suite.ts';

const POOL = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]
`;
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

function mixOf(testInfo: TestInfo, ...documents: readonly string[]): Promise<Mix> {
  const directory = testInfo.outputPath('mix');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'all.yaml'), [POOL, ...documents].join('\n---\n'));
  return readMix(directory);
}

test('a CronJob is one run of it', async ({}, testInfo) => {
  const { workloads, notes } = await mixOf(testInfo, cronJob(false));
  expect(workloads).toMatchObject([
    { title: 'CronJob shop/report', kind: 'Job', replicas: 2, schedule: '0 3 * * *', name: 'shop.report.cronjob' },
  ]);
  expect(workloads[0]?.object).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'report-1', namespace: 'shop', labels: { team: 'data' } },
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

import { expect, test } from '@playwright/test';
import type { TestResult } from 'allure-js-commons';
import { formatAllure } from './allure.ts';
import type { AllureFile } from './allure.ts';
import { buildReport } from './build-report.ts';
import type { ReportInput } from './report-input.ts';
import { sampleRun } from './testing/sample-run.ts';

const write = (input: ReportInput): AllureFile[] => formatAllure(input, buildReport(input), { reportUrl: '../../report.html' });
const resultsOf = (files: readonly AllureFile[]): TestResult[] =>
  files.filter(({ name }) => name.endsWith('-result.json')).map(({ content }) => JSON.parse(content) as TestResult);
const resultOf = (files: readonly AllureFile[], name: string): TestResult | undefined =>
  resultsOf(files).find((result) => result.name === name);

test('one result for each trial: failed, broken if unknown, skipped with the reason', () => {
  const files = write(sampleRun({ trials: 2 }));
  const statuses = Object.fromEntries(resultsOf(files).map(({ name = '', status }) => [name, status]));
  expect(statuses).toMatchObject({
    'provisioning/scale-out-and-back seed 1': 'passed',
    'crashes/killed-after-launch seed 1': 'failed',
    'crashes/killed-after-launch seed 2': 'passed',
    'api-pressure/lost-launch-answer seed 1': 'broken',
    'capacity/reserved-capacity seed 2': 'skipped',
  });
  expect(Object.keys(statuses)).toHaveLength(14);
  expect(resultOf(files, 'capacity/reserved-capacity seed 2')?.statusDetails.message).toBe(
    'not run: the target does not declare the feature "capacity-reservations"',
  );
  expect(resultOf(files, 'api-pressure/lost-launch-answer seed 1')?.statusDetails.message).toMatch(/^UNKNOWN: /);
});

test('a failure has its phases as steps, findings with their part of the history, its replay line and labels', () => {
  const files = write(sampleRun({ trials: 1 }));
  const failed = resultOf(files, 'crashes/killed-after-launch seed 1');
  expect(failed?.statusDetails.message).toMatch(/^leaked-instance: Instance i-/);
  expect(failed?.steps.map(({ name }) => name?.replace(/:.*/, ''))).toEqual(['set up', 'act', 'heal', 'settle', 'remove', 'checks']);
  expect(failed?.steps[1]?.steps.map(({ name }) => name).join('\n')).toContain('killed');
  const contents = new Map(files.map(({ name, content }) => [name, content]));
  const attached = failed?.attachments.map(({ name, source }) => ({ name, content: contents.get(source) ?? '' })) ?? [];
  expect(attached[0]?.content).toMatch(/^scaleproof replay sp1,scenario=crashes\/killed-after-launch@/);
  expect(attached[1]?.name).toMatch(/^history: leaked-instance instance\/i-/);
  expect(attached[1]?.content).toContain('"type":"request.start"');
  const labels = failed?.labels.map(({ name, value }) => `${name} ${value}`);
  expect(labels).toEqual(
    expect.arrayContaining([
      'suite crashes',
      'epic profile core',
      'feature controller crashes',
      'story CRA-01',
      'severity critical',
      'tag leaked-instance',
    ]),
  );
  expect(failed?.links).toContainEqual({ name: 'CRA-01', url: '../../report.html#requirement-CRA-01', type: 'tms' });
});

test('the same run gives the same bytes, and ids of histories do not depend on the run or on its findings', () => {
  const input = sampleRun({ trials: 2 });
  expect(write(sampleRun({ trials: 2 }))).toEqual(write(input));
  const later = write({
    ...input,
    run: { ...input.run, id: 'later', startedAt: '2026-02-02T00:00:00.000Z', target: { ...input.run.target, name: 'v2' } },
  });
  const ids = (files: AllureFile[]): unknown =>
    resultsOf(files)
      .map(({ name, historyId, testCaseId }) => ({ name, historyId, testCaseId }))
      .sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  expect(ids(later)).toEqual(ids(write(input)));
  expect(new Set([...resultsOf(later), ...resultsOf(write(input))].map(({ uuid }) => uuid)).size).toBe(28);
});

test('durations are those of the trials’ clock, and the description says so', () => {
  const input = sampleRun({ trials: 1 });
  const files = write(input);
  const trial = input.trials[0]?.result;
  const result = resultOf(files, 'provisioning/scale-out-and-back seed 1');
  expect((result?.stop ?? 0) - (result?.start ?? 0)).toBe(trial?.virtualMs);
  expect(result?.description).toContain('Durations are virtual time');
  expect(files.find(({ name }) => name === 'environment.properties')?.content).toContain('Durations=virtual time\n');
});

test('every named file exists, and names are safe', () => {
  const files = write(sampleRun({ trials: 2 }));
  const names = new Set(files.map(({ name }) => name));
  expect(names.size).toBe(files.length);
  for (const { attachments } of resultsOf(files)) for (const { source } of attachments) expect(names.has(source), source).toBe(true);
  for (const name of names) expect(name).toMatch(/^[0-9a-z.-]+$/);
});

test('of many passed trials only the first have their own results, and the rest is counted', () => {
  const files = write(sampleRun({ trials: 30, only: ['provisioning/scale-out-and-back'] }));
  expect(resultsOf(files)).toHaveLength(10);
  expect(files.find(({ name }) => name === 'environment.properties')?.content).toContain('Left\\ out=20 trials without their own result');
});

test('each kind of finding is a category', () => {
  const files = write(sampleRun({ trials: 1 }));
  const categories = JSON.parse(files.find(({ name }) => name === 'categories.json')?.content ?? '') as {
    name: string;
    messageRegex?: string;
  }[];
  const { messageRegex = '' } = categories.find(({ name }) => name === 'Found: leaked-instance') ?? {};
  expect(resultOf(files, 'crashes/killed-after-launch seed 1')?.statusDetails.message).toMatch(new RegExp(messageRegex));
});

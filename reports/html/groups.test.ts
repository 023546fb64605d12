import { expect, test } from '@playwright/test';
import { buildReport } from '../build-report.ts';
import { sampleRun } from '../testing/sample-run.ts';
import { groupFindings } from './groups.ts';

test('findings are grouped by check and code, what could be seen first comes first', () => {
  const trial = buildReport(sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] })).scenarios[0]?.results[0];
  const finding = trial?.checks.flatMap(({ findings }) => findings)[0];
  const [check] = trial?.checks ?? [];
  if (trial === undefined || check === undefined || finding === undefined) throw new Error('no finding');
  const seenAt = (code: string, ...events: number[]): typeof finding => ({ ...finding, code, events });
  const groups = groupFindings({
    ...trial,
    checks: [
      { ...check, check: 'late', findings: [seenAt('consequence', 3, 90), seenAt('nowhere'), seenAt('consequence', 80)] },
      { ...check, check: 'early', findings: [seenAt('cause', 2, 40), seenAt('cause', 200)] },
    ],
  });
  expect(groups.map(({ number, check: name, code, findings }) => [number, name, code, findings.length])).toEqual([
    [1, 'early', 'cause', 2],
    [2, 'late', 'consequence', 2],
    [3, 'late', 'nowhere', 1],
  ]);
});

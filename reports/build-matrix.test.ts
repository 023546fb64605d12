import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TargetComparison } from '../history/comparison.ts';
import type { Verdict } from '../history/verdict.ts';
import { packageRoot } from '../model/package-root.ts';
import { buildMatrix } from './build-matrix.ts';
import { buildReport } from './build-report.ts';
import { formatMatrix, formatMatrixSchema } from './matrix-report.ts';
import type { MatrixReport, Upgrade } from './matrix-report.ts';
import { describeFields } from './report-fields.ts';
import type { RunReport, ScenarioReport } from './run-report.ts';
import { sampleMatrix } from './testing/sample-matrix.ts';
import { sampleComparison } from './testing/sample-comparison.ts';
import { sampleRun } from './testing/sample-run.ts';

const KILLED = 'crashes/killed-after-launch';
const NOTHING = sampleComparison({ nothing: true });
const BASE = buildReport(sampleRun({ only: ['provisioning/scale-out-and-back', KILLED], trials: 2 }));

/** The report with other results of the scenario in which the target is killed. */
function withKilled(change: (scenario: ScenarioReport) => ScenarioReport): RunReport {
  return { ...BASE, scenarios: BASE.scenarios.map((one) => (one.id === KILLED ? change(one) : one)) };
}

function judged(
  verdict: Verdict,
  trials: { readonly passed?: number; readonly failed?: number; readonly unknown?: number } = {},
): RunReport {
  return withKilled((scenario) => ({
    ...scenario,
    verdict,
    trials: { passed: 0, failed: 0, unknown: 0, notBegun: 0, ...trials },
    results: verdict === 'pass' ? [] : scenario.results,
  }));
}

const PASS = judged('pass', { passed: 2 });
const FAIL = judged('fail', { failed: 1, passed: 1 });

/** What changed from one report to the next. */
function changed(before: RunReport, after: RunReport, compared: TargetComparison = NOTHING): Upgrade {
  const versions = [
    { folder: 'a', report: before },
    { folder: 'b', report: after },
  ];
  const [upgrade] = buildMatrix(versions, { all: NOTHING, neighbours: [compared] }).upgrades;
  if (upgrade === undefined) throw new Error('no upgrade');
  return upgrade;
}

const kinds = ({ scenarios }: Upgrade): string[] => scenarios.map(({ scenario, kind }) => `${scenario} ${kind}`);

test('the sample fails as it is', () => {
  expect(BASE.scenarios.find(({ id }) => id === KILLED)?.verdict).toBe('fail');
  expect(kinds(changed(BASE, BASE))).toEqual([]);
  expect(changed(BASE, BASE).risk.level).toBe('none');
});

test('a scenario newly fails, with its findings, causes first; the other way round it newly passes', () => {
  const worse = changed(PASS, FAIL);
  expect(kinds(worse)).toEqual([`${KILLED} fails`]);
  expect(worse.scenarios[0]?.findings[0]).toMatchObject({
    code: expect.stringMatching(/^[a-z-]+$/),
    seed: expect.any(Number),
  });
  expect(worse.risk).toMatchObject({ level: 'fail', fails: 1 });
  const better = changed(FAIL, PASS);
  expect(kinds(better)).toEqual([`${KILLED} passes`]);
  expect(better.risk.level).toBe('none');
});

test('a scenario that failed before fails in a new way', () => {
  const other = withKilled((scenario) => ({
    ...scenario,
    results: scenario.results.map((result) => ({
      ...result,
      checks: result.checks.map((check) => ({
        ...check,
        findings: check.findings.map((finding) => ({ ...finding, code: 'another-code' })),
      })),
    })),
  }));
  const upgrade = changed(BASE, other);
  expect(kinds(upgrade)).toEqual([`${KILLED} new-finding`]);
  expect(new Set(upgrade.scenarios[0]?.findings.map(({ code }) => code))).toEqual(new Set(['another-code']));
  expect(upgrade.risk).toMatchObject({ level: 'fail', fails: 0, findings: 1 });
});

test('it fails more often only if the bounds of both shares say so', () => {
  const failing = (failed: number, of: number): RunReport =>
    withKilled((scenario) => ({ ...scenario, trials: { failed, passed: of - failed, unknown: 0, notBegun: 0 } }));
  expect(kinds(changed(failing(1, 20), failing(19, 20)))).toEqual([`${KILLED} fails-more`]);
  expect(kinds(changed(failing(1, 2), failing(2, 2)))).toEqual([]);
  expect(kinds(changed(failing(19, 20), failing(1, 20)))).toEqual([]);
});

test('verdicts that come and go: a failure without a verdict before counts, a pass does not', () => {
  const unknown = judged('unknown', { unknown: 2 });
  const notRun: RunReport = {
    ...BASE,
    scenarios: BASE.scenarios.filter(({ id }) => id !== KILLED),
    notRun: [{ scenario: KILLED, title: '', suite: 'crashes', seed: 1, reason: 'no feature' }],
  };
  expect(kinds(changed(unknown, FAIL))).toEqual([`${KILLED} fails-unseen`]);
  expect(kinds(changed(notRun, PASS))).toEqual([]);
  const lost = changed(PASS, notRun);
  expect(lost.scenarios[0]).toMatchObject({ kind: 'lost', after: 'not-run', why: 'no feature' });
  expect(lost.risk).toMatchObject({ level: 'unknown', lost: 1 });
});

test('a requirement is newly broken, or holds now, only by scenarios that have verdicts on both sides', () => {
  const OUT = 'provisioning/scale-out-and-back';
  /** Both scenarios test one requirement, and each has its verdict on it; `not-run` where the version can't run it. */
  const tested = (verdicts: Readonly<Record<string, Verdict | 'not-run'>>): RunReport => {
    const [requirement] = BASE.requirements ?? [];
    if (requirement === undefined) throw new Error('no requirement');
    const all = Object.entries(verdicts);
    const ran = all.flatMap(([id, verdict]) => (verdict === 'not-run' ? [] : [{ id, verdict }]));
    const declined = all.filter(([, verdict]) => verdict === 'not-run').map(([id]) => ({ id, reason: 'no feature' }));
    const verdictOn = new Map(ran.map(({ id, verdict }) => [id, verdict]));
    return {
      ...BASE,
      run: { ...BASE.run, scenarios: BASE.run.scenarios.map((one) => ({ ...one, requirements: [requirement.id] })) },
      requirements: [{ ...requirement, scenarios: ran, notRun: declined }],
      scenarios: BASE.scenarios.flatMap((one) => {
        const verdict = verdictOn.get(one.id);
        return verdict === undefined ? [] : [{ ...one, verdict, trials: { passed: 1, failed: 0, unknown: 0, notBegun: 0 } }];
      }),
      notRun: declined.map(({ id, reason }) => ({ scenario: id, title: '', suite: '', seed: 1, reason })),
    };
  };
  const changes = (...[before, after]: readonly [RunReport, RunReport]): string[] =>
    changed(before, after).requirements.map(({ kind, scenarios }) => `${kind} ${scenarios.join(' ')}`);
  const [holds, broken] = [tested({ [OUT]: 'pass', [KILLED]: 'pass' }), tested({ [OUT]: 'pass', [KILLED]: 'fail' })];
  const declined = tested({ [OUT]: 'pass', [KILLED]: 'not-run' });
  const both = tested({ [OUT]: 'fail', [KILLED]: 'fail' });
  expect(changes(holds, broken)).toEqual([`broken ${KILLED}`]);
  expect(changes(broken, holds)).toEqual([`holds ${KILLED}`]);
  expect(changes(broken, declined), 'what broke it is not run any more').toEqual([]);
  expect(changes(both, declined), 'one of two').toEqual([]);
  expect(changes(declined, broken), 'what breaks it was not run').toEqual([]);
  expect(changed(declined, broken).risk).toMatchObject({ level: 'unknown', must: 0, should: 0, unseen: 1 });
  expect(changes(declined, both), 'one of two').toEqual([`broken ${OUT}`]);
});

test('what was not run yet is missing, and changes nothing', () => {
  const missing = withKilled((scenario) => ({
    ...scenario,
    verdict: 'unknown',
    trials: { passed: 1, failed: 0, unknown: 0, notBegun: 1 },
    results: [],
  }));
  const elsewhere: RunReport = { ...BASE, scenarios: BASE.scenarios.filter(({ id }) => id !== KILLED) };
  for (const after of [missing, elsewhere]) expect(kinds(changed(PASS, after))).toEqual([]);
  const { scenarios } = buildMatrix(
    [missing, elsewhere].map((report, index) => ({ folder: String(index), report })),
    { all: NOTHING, neighbours: [NOTHING] },
  );
  expect(scenarios.find(({ id }) => id === KILLED)?.cells.map(({ verdict }) => verdict)).toEqual(['missing', 'missing']);
});

test('measurements count if their bounds show a difference that is not within the margin', () => {
  const upgrade = changed(BASE, BASE, sampleComparison());
  const worse = upgrade.measurements.filter(({ change }) => change.outcome === 'worse').map(({ id }) => id);
  expect(worse).toContain('monthly-cost');
  expect(upgrade.measurements.map(({ id }) => id)).not.toContain('retries');
  expect(upgrade.measurements.at(-1)?.change.outcome).toBe('better');
  expect(upgrade.risk).toMatchObject({ level: 'worse', fails: 0, worse: worse.length });
});

test('the riskiest upgrade is first: newly failing before lost verdicts, and these before measurements', () => {
  const reports = [PASS, judged('unknown', { unknown: 2 }), PASS, FAIL, FAIL];
  const versions = reports.map((report, index) => ({ folder: String(index), report }));
  const { upgrades } = buildMatrix(versions, { all: NOTHING, neighbours: [NOTHING, NOTHING, NOTHING, sampleComparison()] });
  expect(upgrades.map(({ from, risk }) => [from, risk.level])).toEqual([
    [2, 'fail'],
    [0, 'unknown'],
    [3, 'worse'],
    [1, 'none'],
  ]);
});

test('the published schema is up to date, describes every field, and fits a matrix', ({}, { config }) => {
  const path = join('schemas', 'matrix.v1.json');
  if (config.updateSnapshots === 'changed' || config.updateSnapshots === 'all')
    writeFileSync(join(packageRoot(), path), formatMatrixSchema());
  const committed = JSON.parse(readFileSync(join(packageRoot(), path), 'utf8')) as object;
  const hint = `${path} is out of date: run \`npx playwright test reports/build-matrix.test.ts --update-snapshots\` and commit it`;
  expect(committed, hint).toEqual(JSON.parse(formatMatrixSchema()));
  expect(describeFields(structuredClone(committed)), 'say what they mean in reports/matrix-report.ts').toEqual([]);
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(committed);
  const matrix = JSON.parse(formatMatrix(sampleMatrix())) as MatrixReport;
  validate(matrix);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...matrix, versions: undefined })).toBe(false);
  expect(validate({ ...matrix, laterField: 1 }), 'a later minor version may add fields').toBe(true);
});

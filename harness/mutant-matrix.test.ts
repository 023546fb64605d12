import { expect, test } from '@playwright/test';
import { judgeMutants } from './mutant-matrix.ts';
import type { MutantReport } from './mutant-matrix.ts';
import type { MatrixTrial } from './mutant-trial.ts';
import { failing, mutantOf, passing } from './testing/matrix-trials.ts';

const control = [passing('a/a', 1), passing('a/a', 2), passing('a/b'), passing('a/c'), passing('a/d')];

function judged(
  trials: readonly MatrixTrial[],
  { declared = {}, beside = control }: { declared?: Parameters<typeof mutantOf>[3]; beside?: readonly MatrixTrial[] } = {},
): MutantReport {
  const [report] = judgeMutants({ mutants: [mutantOf('m', 'a/a', 'x', declared)], trials, control: beside }).mutants;
  if (report === undefined) throw new Error('no report');
  return report;
}

test('caught: the declared finding with every seed, or with one if only some expose it', () => {
  const first = failing('m', 'a/a', ['y', 'x']);
  const report = judged([first, failing('m', 'a/a', ['x'], { seed: 2 })]);
  expect(report).toMatchObject({ outcome: 'caught', seeds: { ran: [1, 2], exposed: [1, 2] } });
  expect(report.first, 'the first finding need not be the declared one').toMatchObject({ seed: 1, check: 'y', atMs: 1_000 });
  const once = [first, { ...passing('a/a', 2), target: 'm' }];
  expect(judged(once)).toMatchObject({ outcome: 'missed', seeds: { exposed: [1] } });
  expect(judged(once, { declared: { seeds: 'some' } })).toMatchObject({ outcome: 'caught', seeds: { exposed: [1] } });
});

test('missed: another check, code or object; the message says what was found', () => {
  expect(judged([failing('m', 'a/a', ['y'])])).toMatchObject({
    outcome: 'missed',
    why: 'x x-code of instance/* was not found with seed 1; found: y y-code of instance/i-1',
  });
  expect(judged([failing('m', 'a/a', ['x'])], { declared: { object: 'pods/*' } }).outcome).toBe('missed');
  expect(judged([failing('m', 'a/a', ['x'])], { declared: { code: 'z' } }).outcome).toBe('missed');
});

test('a trial that the reference does not pass proves nothing', () => {
  const trials = [failing('m', 'a/a', ['x']), failing('m', 'a/b', ['x'])];
  const beside = [failing('reference', 'a/a', ['x']), failing('reference', 'a/b', ['x'])];
  const report = judged(trials, { beside });
  expect(report).toMatchObject({
    outcome: 'missed',
    why: expect.stringContaining('the reference does not pass a/a with seed 1'),
  });
  expect(report.elsewhere).toMatchObject([{ scenario: 'a/b', cause: 'control' }]);
  expect(judgeMutants({ mutants: [], trials, control: beside }).control).toMatchObject([
    { scenario: 'a/a', seed: 1, verdict: 'fail', why: 'x x-code: x says so' },
    { scenario: 'a/b' },
  ]);
  expect(judged(trials, { beside: [] }).outcome, 'nor does a trial that the reference did not run').toBe('missed');
});

test('unknown is neither caught nor missed; what was not run is not judged', () => {
  const unknown = passing('a/a', 1, { target: 'm', verdict: 'unknown', unknowns: ['faults-fired: never fired'] });
  expect(judged([unknown])).toMatchObject({ outcome: 'unknown', why: 'a/a is unknown with seed 1: faults-fired: never fired' });
  expect(judged([failing('m', 'a/b', ['x'])])).toMatchObject({ outcome: 'not-run', why: 'a/a was not run' });
});

test('other failures are reported with their first finding and their cause', () => {
  const { elsewhere } = judged([
    failing('m', 'a/a', ['x']),
    failing('m', 'a/b', ['y', 'x']),
    failing('m', 'a/c', ['y']),
    { ...passing('a/d'), target: 'm' },
  ]);
  expect(elsewhere).toMatchObject([
    { scenario: 'a/b', cause: 'same-finding', first: { check: 'y' }, seeds: { ran: [1], exposed: [1] } },
    { scenario: 'a/c', cause: 'other-finding', first: { check: 'y', message: 'y says so' } },
  ]);
});

test('a mutant that declares to need an interleaving must pass most scenarios without faults', () => {
  const declared = { needs: 'interleaving' } as const;
  const own = failing('m', 'a/a', ['x']);
  const elsewhere = (...scenarios: readonly string[]): MatrixTrial[] =>
    ['a/b', 'a/c', 'a/d'].map((id) => (scenarios.includes(id) ? failing('m', id, ['x']) : { ...passing(id), target: 'm' }));
  expect(judged([own, ...elsewhere('a/b')], { declared }).outcome).toBe('caught');
  expect(judged([own, ...elsewhere('a/b', 'a/c')], { declared })).toMatchObject({
    outcome: 'missed',
    why: 'it declares to need an interleaving, but fails 2 of 3 other scenarios without faults',
  });
  const stormy = control.map((trial) => ({ ...trial, fired: ['crash'] }));
  expect(judged([own, ...elsewhere('a/b', 'a/c')], { declared, beside: stormy }).outcome).toBe('caught');
});

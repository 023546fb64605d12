import { expect, test } from '@playwright/test';
import type { MutantReport, MutationReport, Outcome } from './outcome.ts';
import { formatReport, progressLine } from './report.ts';

function mutant(id: number, result: Outcome): MutantReport {
  return {
    id,
    file: 'controller/a.ts',
    line: 10 + id,
    kind: 'comparison',
    before: 'if (a < b) return;',
    after: 'if (a <= b) return;',
    result,
  };
}

function report(...results: Outcome[]): MutationReport {
  const mutants = results.map((result, id) => mutant(id, result));
  return {
    version: 1,
    seed: 1,
    sites: 100,
    scenarios: 3,
    crashPoints: false,
    trialSeeds: 1,
    searchSeconds: 0,
    interrupted: false,
    mutants,
  };
}

const killed: Outcome = { outcome: 'killed', scenario: 'a/b', seed: 1, check: 'latency', code: 'too-slow', message: 'It was slow.' };

test('those that were killed are counted by scenario and check', () => {
  expect(formatReport(report(killed, killed, { ...killed, code: 'never' }))).toBe(
    [
      'KILLED BY  CHECK             MUTANTS  WHERE',
      'a/b        latency too-slow        2  controller/a.ts:10, controller/a.ts:11',
      'a/b        latency never           1  controller/a.ts:12',
      '',
      '3 mutants: 3 killed (100 % of those that the wires saw), 0 survived, 0 unknown, 0 not seen, 0 never executed',
      '',
    ].join('\n'),
  );
});

test('those that only generated scenarios killed are counted', () => {
  const text = formatReport(report(killed, { ...killed, scenario: 'explore/12ab-3' }));
  expect(text).toContain('2 mutants: 2 killed, 1 of them only by generated scenarios (100 % of those that the wires saw), 0 survived');
});

test('a survivor is shown with its change, who executed it, and what was seen', () => {
  const difference = { atMs: 5, without: '9 ms: a', with: '5 ms: b' };
  const survived: Outcome = { outcome: 'survived', scenarios: ['a/b', 'a/c'], seen: [{ scenario: 'a/b', difference }] };
  expect(formatReport(report(survived))).toBe(
    [
      'survived: the wires saw it, and no check failed',
      '  controller/a.ts:10 (comparison, number 0)',
      '    - if (a < b) return;',
      '    + if (a <= b) return;',
      '      executed by 2: a/b, a/c',
      '      seen in 1 of them',
      '      a/b, at 5 ms:',
      '        without: 9 ms: a',
      '        with:    5 ms: b',
      '',
      '1 mutants: 0 killed (0 % of those that the wires saw), 1 survived, 0 unknown, 0 not seen, 0 never executed',
      '',
    ].join('\n'),
  );
});

test('those that prove nothing are listed apart', () => {
  const unknown: Outcome = { outcome: 'unknown', scenarios: ['a/b'], scenario: 'a/b', why: 'faults-fired: it never fired' };
  const text = formatReport(report(unknown, { outcome: 'not-seen', scenarios: ['a/b'] }, { outcome: 'not-executed' }));
  expect(text).toContain('unknown: no check failed, and a trial could not be judged\n  controller/a.ts:10');
  expect(text).toContain('not seen on the wires: the same histories, apart from log lines\n  controller/a.ts:11');
  expect(text).toContain('never executed\n  controller/a.ts:12');
  expect(text).toContain('3 mutants: 0 killed, 0 survived, 1 unknown, 1 not seen, 1 never executed');
});

test('progress names the place and what became of it', () => {
  expect(progressLine(mutant(0, killed), 1, 20)).toBe('1 of 20: controller/a.ts:10 comparison: killed by a/b, latency\n');
});

import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import type { ReportInput } from './report-input.ts';
import type { RequirementReport } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';

function requirementsOf(input: ReportInput): Map<string, RequirementReport> {
  return new Map((buildReport(input).requirements ?? []).map((requirement) => [requirement.id, requirement]));
}

test('a finding counts against the requirements of its scenario that it breaches', () => {
  const requirements = requirementsOf(sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] }));
  const scenario = (verdict: string): Record<string, unknown> => ({ verdict, scenarios: [{ id: 'crashes/killed-after-launch', verdict }] });
  expect(requirements.get('CRA-01')).toMatchObject(scenario('pass'));
  expect(requirements.get('CRA-02')).toMatchObject(scenario('fail'));
  // It breaches this one, too, which the scenario does not test.
  expect(requirements.get('LEK-02')).toMatchObject({ verdict: 'not-run', scenarios: [], notRun: [] });
});

test('a finding that breaches none counts against all requirements of its scenario', () => {
  const input = sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] });
  const requirements = (input.run.requirements ?? []).map((one) => ({ ...one, breaches: {} }));
  const judged = requirementsOf({ ...input, run: { ...input.run, requirements } });
  expect(['CRA-01', 'CRA-02'].map((id) => judged.get(id)?.verdict)).toEqual(['fail', 'fail']);
});

test('a requirement is unknown if a trial could not be judged or never started', () => {
  expect(requirementsOf(sampleRun({ trials: 1 })).get('LEK-02')?.verdict).toBe('unknown');
  const input = sampleRun({ trials: 2, only: ['scheduling/spot-spread'] });
  expect(requirementsOf(input).get('SCH-04')?.verdict).toBe('pass');
  expect(requirementsOf({ ...input, trials: input.trials.slice(0, 1) }).get('SCH-04')?.verdict).toBe('unknown');
});

test('if a scenario failed by something else and a check could not judge, its requirement is unknown', () => {
  const input = sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] });
  const trials = input.trials.map((trial) => ({
    ...trial,
    result: {
      ...trial.result,
      checks: trial.result.checks.map((check) => (check.check === 'faults-fired' ? { ...check, verdict: 'unknown' as const } : check)),
    },
  }));
  const requirements = requirementsOf({ ...input, trials });
  expect(['CRA-01', 'CRA-02'].map((id) => requirements.get(id)?.verdict)).toEqual(['unknown', 'fail']);
});

test('scenarios that were not run have a reason, and those not requested are named', () => {
  const requirements = requirementsOf(sampleRun({ trials: 2 }));
  expect(requirements.get('CAP-13')).toEqual({
    id: 'CAP-13',
    level: 'MUST',
    area: 'capacity errors',
    profile: 'extended',
    title: 'What is reserved is used first.',
    verdict: 'not-run',
    scenarios: [],
    notRun: [{ id: 'capacity/reserved-capacity', reason: 'the target does not declare the feature "capacity-reservations"' }],
    notAskedFor: [],
  });
  expect(requirements.get('LEK-02')?.notAskedFor).toEqual(['provisioning/pool-deleted-during-launch']);
  expect(requirements.get('STL-01')).toMatchObject({ verdict: 'not-run', notRun: [], notAskedFor: [] });
});

test('a run that tests nothing of the specification has no requirements', () => {
  const input = sampleRun({ trials: 1, only: ['scheduling/spot-spread'] });
  const { requirements: _requirements, ...run } = input.run;
  expect(buildReport({ ...input, run }).requirements).toBeUndefined();
});

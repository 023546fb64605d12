import { combine } from '../../history/verdict.ts';
import { buildMatrix } from '../build-matrix.ts';
import type { MatrixVersion } from '../build-matrix.ts';
import { buildReport } from '../build-report.ts';
import type { MatrixReport } from '../matrix-report.ts';
import type { RunReport, ScenarioReport } from '../run-report.ts';
import { sampleComparison } from './sample-comparison.ts';
import { sampleRun } from './sample-run.ts';

/** Options of a sample matrix. */
export interface SampleMatrixOptions {
  /** Name of the last target. */
  readonly name?: string;
}

/**
 * Three versions: the second fails nothing, in the third the sample's failures are new, and its measurements are those of the sample
 * comparison.
 */
export function sampleMatrix({ name = 'v3' }: SampleMatrixOptions = {}): MatrixReport {
  const sample = buildReport(sampleRun());
  const failing = sample.scenarios.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  const [first] = failing;
  const versions = [
    version('v1', sample, (scenario) => (scenario.id === first ? scenario : passing(scenario))),
    version('v2', sample, passing),
    version(name, sample, (scenario) => scenario),
  ];
  const compared = sampleComparison({ name });
  const thrice = {
    ...compared,
    sections: compared.sections.map((section) => ({
      ...section,
      rows: section.rows.map((row) => ({ ...row, cells: [...row.cells, ...row.cells.slice(1)] })),
    })),
  };
  return buildMatrix(versions, { all: thrice, neighbours: [sampleComparison({ nothing: true }), compared] });
}

/** One scenario alone: of 20 trials 17 passed, 2 failed and one has no verdict. Its cells are fail, unknown and pass. */
export function mixedMatrix(): MatrixReport {
  const matrix = sampleMatrix();
  const verdicts = ['fail', 'unknown', 'pass'] as const;
  const trials = { passed: 17, failed: 2, unknown: 1, missing: 0 };
  const scenarios = matrix.scenarios.slice(0, 1).map((scenario) => ({
    ...scenario,
    cells: scenario.cells.map((cell, index) => ({ ...cell, verdict: verdicts[index] ?? 'pass', trials, findings: [] })),
  }));
  return { ...matrix, upgrades: [], requirements: [], scenarios };
}

function version(name: string, sample: RunReport, change: (scenario: ScenarioReport) => ScenarioReport): MatrixVersion {
  const scenarios = sample.scenarios.map(change);
  const verdicts = new Map(scenarios.map(({ id, verdict }) => [id, verdict]));
  const requirements = sample.requirements?.map((requirement) => {
    const own = requirement.scenarios.map(({ id, verdict }) => ({
      id,
      verdict: verdicts.get(id) === 'pass' ? ('pass' as const) : verdict,
    }));
    const verdict = own.length === 0 ? ('not-run' as const) : combine(own.map((one) => one.verdict));
    return { ...requirement, verdict, scenarios: own };
  });
  const report = { ...sample, run: { ...sample.run, target: { ...sample.run.target, name } }, scenarios };
  return { folder: /^\w+$/.test(name) ? name : 'last', report: requirements === undefined ? report : { ...report, requirements } };
}

function passing(scenario: ScenarioReport): ScenarioReport {
  if (scenario.verdict !== 'fail') return scenario;
  const { passed, failed } = scenario.trials;
  return { ...scenario, verdict: 'pass', trials: { ...scenario.trials, passed: passed + failed, failed: 0 }, results: [] };
}

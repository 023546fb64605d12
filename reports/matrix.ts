import { changeLines, formatBounds, formatCell } from './comparison.ts';
import { formatCount, formatPhase } from './format.ts';
import type {
  CellVerdict,
  MatrixCell,
  MatrixReport,
  MeasurementChange,
  RequirementChange,
  ScenarioChange,
  ScenarioChangeKind,
  Upgrade,
} from './matrix-report.ts';

/** Texts that all formats of a matrix share. */

export const CELL_WORDS: Readonly<Record<CellVerdict, string>> = {
  pass: 'pass',
  fail: 'fail',
  unknown: 'unknown',
  'not-run': 'not run',
  missing: 'missing',
};

export const CHANGE_KIND_WORDS: Readonly<Record<ScenarioChangeKind, string>> = {
  fails: 'newly fails',
  'new-finding': 'fails in a new way',
  'fails-more': 'fails more often',
  'fails-unseen': 'fails, no verdict before',
  lost: 'no verdict any more',
  passes: 'newly passes',
};

/** How many of a cell's trials failed if its verdict is `fail`, otherwise how many passed; and of how many. Empty for a single trial. */
export function shareOf({ verdict, trials }: MatrixCell): readonly number[] {
  const { passed, failed, unknown } = trials;
  const all = passed + failed + unknown;
  return all <= 1 ? [] : [verdict === 'fail' ? failed : passed, all];
}

/** How risky an upgrade is, in a sentence without a full stop. */
export function riskText({ risk, scenarios, requirements, measurements }: Upgrade): string {
  const { must, should, fails, findings, unseen, lost, worse } = risk;
  const parts = [
    must > 0 && `${formatCount(must, 'MUST requirement')} newly broken`,
    should > 0 && `${formatCount(should, 'SHOULD requirement')} newly broken`,
    fails > 0 && `${formatCount(fails, 'scenario')} newly ${fails === 1 ? 'fails' : 'fail'}`,
    findings > 0 && `${formatCount(findings, 'scenario')} ${findings === 1 ? 'fails' : 'fail'} in a new way or more often`,
    unseen > 0 && `${formatCount(unseen, 'scenario')} ${unseen === 1 ? 'fails that had' : 'fail that had'} no verdict before`,
    lost > 0 && `${formatCount(lost, 'scenario')} without a verdict any more`,
    worse > 0 && `${formatCount(worse, 'measurement')} got worse`,
  ].filter((part) => part !== false);
  if (parts.length > 0) return parts.join(', ');
  const better = scenarios.length + requirements.length + measurements.length;
  return better > 0 ? 'Nothing got worse; some things got better' : 'No difference found';
}

/** Everything that changed, a line each, the worst first. */
export function upgradeLines({ scenarios, requirements, measurements }: Upgrade): string[] {
  return [
    ...requirements.filter(({ kind }) => kind === 'broken').map(requirementText),
    ...scenarios.filter(({ kind }) => kind !== 'passes').map(scenarioText),
    ...measurements.filter(({ change }) => change.outcome === 'worse').map(measurementText),
    ...requirements.filter(({ kind }) => kind === 'holds').map(requirementText),
    ...scenarios.filter(({ kind }) => kind === 'passes').map(scenarioText),
    ...measurements.filter(({ change }) => change.outcome === 'better').map(measurementText),
  ];
}

function requirementText({ requirement, level, title, kind, scenarios }: RequirementChange): string {
  return `${requirement} (${level}) ${kind === 'broken' ? 'is newly broken' : 'holds now'}: ${title} (${scenarios.join(', ')})`;
}

function scenarioText({ scenario, kind, findings, why }: ScenarioChange): string {
  const [first] = findings;
  const what = why ?? (first === undefined ? undefined : `${first.code}: ${first.message}`);
  return `${scenario} ${CHANGE_KIND_WORDS[kind]}${what === undefined ? '' : kind === 'passes' ? `; before, ${what}` : `: ${what}`}`;
}

/** `pending → running p95: 31 s before, 42 s now: ×1.35 (1.20 – 1.50)` */
export function measurementText({ title, unit, before, after, change }: MeasurementChange): string {
  const figures = `${formatCell(before, unit)} before, ${formatCell(after, unit)} now`;
  return `${formatPhase(title)} got ${change.outcome}: ${figures}: ${changeLines(change).join(', ')}`;
}

/** `31 s (28 s – 40 s)` */
export function figureText(cell: MeasurementChange['before'], unit: MeasurementChange['unit']): string {
  const bounds = formatBounds(cell, unit);
  return `${formatCell(cell, unit)}${bounds === undefined ? '' : ` (${bounds})`}`;
}

/** `2 MUST, 1 SHOULD`, `none` */
export function versionText({ broken: { must, should } }: MatrixReport['versions'][number]): string {
  const parts = [must > 0 && `${must} MUST`, should > 0 && `${should} SHOULD`].filter((part) => part !== false);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

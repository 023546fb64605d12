import { closeness } from '../history/verdict.ts';
import type { CheckResult, Finding, Measurement } from '../history/verdict.ts';
import { formatCount, formatLimit, formatValue } from '../reports/format.ts';
import { wrap } from '../reports/table.ts';

/** Findings of one code that become separate errors; the rest are counted. */
const MAX_OF_A_CODE = 3;
/** Events of a finding that are named; the report describes more of them. */
const MAX_EVENTS = 5;
/** Playwright's pages show this much of a line. */
const COLUMNS = 100;

/** A reason why a trial did not pass. */
export interface Failure {
  readonly title: string;
  /** Several lines. */
  readonly message: string;
}

/** Where to find a trial's history, and how to replay it. */
export interface TrialPlace {
  /** Path of its history. */
  readonly history: string;
  readonly replay: string;
}

/** The failures of a check: its findings, or why it is unknown. Empty for a passed one. */
export function failuresOf(check: CheckResult, place: TrialPlace): Failure[] {
  if (check.verdict === 'pass') return [];
  if (check.verdict === 'unknown')
    return [{ title: 'unknown', message: [`UNKNOWN: ${check.check}: ${check.summary}`, ...placeLines(place)].join('\n') }];
  const codes = [...new Set(check.findings.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const findings = check.findings.filter((finding) => finding.code === code);
    const failures = findings.slice(0, MAX_OF_A_CODE).map((finding) => failureOf(finding, check, place));
    const left = findings.length - failures.length;
    if (left === 0) return failures;
    const title = `and ${formatCount(left, 'more finding')} of ${code}`;
    return [...failures, { title, message: `${title}: report.html lists all of them` }];
  });
}

function failureOf(finding: Finding, check: CheckResult, place: TrialPlace): Failure {
  const title = `${finding.code} ${finding.object}`;
  const said = wrap(finding.message, COLUMNS).map((line) => `  ${line}`);
  return { title, message: [title, ...said, ...boundLines(check, finding), ...placeLines(place, finding)].join('\n') };
}

/** The bounds that a finding names, else those that were exceeded; if some are for the object of the finding, only these. */
function boundLines({ check, measurements }: CheckResult, { object, message }: Finding): string[] {
  const named = measurements.filter(({ bound }) => message.includes(`bound ${bound.name},`));
  const broken = measurements.filter((measurement) => (closeness(measurement) ?? 0) > 1);
  const candidates = [named, broken].find((some) => some.length > 0) ?? [];
  const own = candidates.filter((measurement) => measurement.object === object);
  const chosen = own.length > 0 ? own : candidates;
  return worstOfEach(chosen).map(({ bound, worst, object: whose }) => {
    const seen = worst === undefined ? '' : `; the worst was ${formatValue(worst, bound.unit)}${whose === undefined ? '' : ` (${whose})`}`;
    return `  bound:   ${bound.name} of the check ${check}, ${formatLimit(bound)}${seen}`;
  });
}

function worstOfEach(measurements: readonly Measurement[]): Measurement[] {
  const worst = new Map<string, Measurement>();
  for (const measurement of measurements) {
    const before = worst.get(measurement.bound.name);
    if (before === undefined || (closeness(measurement) ?? 0) > (closeness(before) ?? 0)) worst.set(measurement.bound.name, measurement);
  }
  return [...worst.values()];
}

function placeLines({ history, replay }: TrialPlace, { events }: Pick<Finding, 'events'> = { events: [] }): string[] {
  const more = events.length > MAX_EVENTS ? ` and ${events.length - MAX_EVENTS} more` : '';
  const which = events.length === 0 ? '' : `, ${events.length === 1 ? 'event' : 'events'} ${events.slice(0, MAX_EVENTS).join(', ')}${more}`;
  return [`  history: ${history}${which}`, `  replay:  npx scaleproof replay ${replay}`];
}

import { formatEvidence } from './describe-event.ts';
import { formatCount } from './format.ts';
import { VERDICT_MARKS } from './marks.ts';
import { printable } from './paint.ts';
import type { Ink } from './paint.ts';
import type { RunReport, ScenarioReport, TrialReport } from './run-report.ts';
import { clip, wrap } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** Most findings of one trial that are described, of those with the same code. */
const MAX_SAME_CODE = 2;
/** Most events that are printed with a finding: the last ones are usually the most useful. */
const MAX_EVENTS = 6;

/** Replay lines of the first trial of each scenario that passed. The lines of others are beside their findings. */
export function replaysOf({ scenarios }: RunReport, paint: Paint): string[] {
  const lines = scenarios
    .filter(({ verdict }) => verdict === 'pass')
    .flatMap(({ results }) => results.slice(0, 1).map((trial) => replayLine(trial, paint)));
  return lines.length === 0 ? [] : [paint('dim', 'REPLAY'), ...lines];
}

/** Every trial that did not pass, with its replay line. Findings that an earlier trial of the scenario has too are not repeated. */
export function findingsOf({ scenarios }: RunReport, paint: Paint, width: number): string[] {
  const blocks = scenarios.flatMap((scenario) => {
    const printed = new Set<string>();
    return scenario.results
      .filter(({ verdict }) => verdict !== 'pass')
      .map((trial) => {
        const story = storyOf(trial);
        const isRepeated = printed.has(story);
        printed.add(story);
        return isRepeated ? repeatedTrial(scenario, trial, { story, paint, width }) : trialFindings(scenario, trial, paint, width);
      });
  });
  return blocks.flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines));
}

/** A trial's findings and the checks that could not judge: equal for trials that failed in the same way. */
function storyOf({ checks }: TrialReport): string {
  const codes = checks.flatMap(({ findings }) => findings.map(({ code }) => code));
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown').map(({ check }) => `unknown: ${check}`);
  return [...new Set([...codes, ...unknown])].join(', ');
}

function repeatedTrial(
  scenario: ScenarioReport,
  trial: TrialReport,
  { story, paint, width }: { readonly story: string; readonly paint: Paint; readonly width: number },
): string[] {
  return [heading(scenario, trial, paint), ...indent(wrap(`as above: ${story}`, width - 2), 2), replayLine(trial, paint)];
}

function heading({ id }: ScenarioReport, { verdict, seed }: TrialReport, paint: Paint): string {
  return `${paint(verdict, `${VERDICT_MARKS[verdict]} ${verdict.toUpperCase()}`)} ${paint('bold', id)} seed ${seed}`;
}

/** Never wrapped or cut: it is there to be copied. */
function replayLine({ replay }: TrialReport, paint: Paint): string {
  return `  ${paint('accent', `scaleproof replay ${replay}`)}`;
}

function trialFindings(scenario: ScenarioReport, trial: TrialReport, paint: Paint, width: number): string[] {
  const { verdict } = trial;
  const lines = [heading(scenario, trial, paint)];
  const shown = new Map<string, number>();
  for (const check of trial.checks) {
    for (const finding of check.findings) {
      const alike = (shown.get(finding.code) ?? 0) + 1;
      shown.set(finding.code, alike);
      if (alike > MAX_SAME_CODE) continue;
      const found = `${check.check}, ${printable(finding.object)}`;
      const isShort = finding.code.length + found.length + 3 <= width;
      lines.push(`  ${paint(verdict, finding.code)}${isShort ? ` ${paint('dim', found)}` : ''}`);
      if (!isShort) lines.push(...indent(wrap(found, width - 4), 4).map((line) => paint('dim', line)));
      lines.push(...indent(wrap(printable(finding.message), width - 4), 4));
      if (alike === 1)
        lines.push(
          ...finding.evidence.slice(-MAX_EVENTS).map((event) => paint('dim', `      ${clip(printable(formatEvidence(event)), width - 6)}`)),
        );
    }
    if (check.verdict === 'unknown') lines.push(...indent(wrap(`unknown: ${check.check}: ${printable(check.summary)}`, width - 2), 2));
  }
  for (const [code, count] of shown) {
    if (count > MAX_SAME_CODE) lines.push(`  ${paint('dim', `and ${formatCount(count - MAX_SAME_CODE, 'more finding')} of ${code}`)}`);
  }
  if (trial.truncated) lines.push('  the history is truncated: the trial was killed');
  return [...lines, replayLine(trial, paint)];
}

function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => ' '.repeat(by) + line);
}

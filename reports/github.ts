import { isVirtual } from './clock.ts';
import { countsOf, crashVerdicts } from './crash-points.ts';
import { formatCount, formatDuration, formatPercent } from './format.ts';
import { unservedOf } from './manifests.ts';
import { profileCounts, resultWord } from './profiles.ts';
import type { RunReport, ScenarioReport, TrialReport } from './run-report.ts';

/** GitHub shows this many annotations per level and step, and silently drops the rest. */
export const MAX_ANNOTATIONS = 10;
/** A step summary may have 1 MiB; GitHub rejects a longer one completely. */
export const MAX_SUMMARY_BYTES = 1024 * 1024;
/** Most scenarios in the table of a summary; those that did not pass come first. */
const MAX_ROWS = 500;
/** Most trials that did not pass and are described. */
const MAX_PROBLEMS = 50;
/** Most kinds of findings for one of them. */
const MAX_FINDINGS = 10;
/** Most characters of a text from a cluster. */
const MAX_TEXT = 500;

/** The marks of verdicts in Markdown. */
export const MARKS = { pass: '✅', fail: '❌', unknown: '❓' } as const;

/** What did not pass. */
export interface Problem {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly lines: readonly string[];
  readonly replay?: string | undefined;
}

/**
 * The run as a Markdown step summary. All HTML and Markdown in it is Scaleproof's own: everything else is escaped.
 */
export function formatSummary(report: RunReport): string {
  const { run, totals, verdict } = report;
  const { scenarios, success, instances } = totals;
  const served =
    success.asked === 0 ? 'none requested' : `${formatPercent(success.served / success.asked)} (${success.served} of ${success.asked})`;
  const ratio = run.ratio === undefined ? '' : `, in ${formatDuration(run.wallMs ?? 0)}`;
  const head = [
    `## ${MARKS[verdict]} Scaleproof: ${verdict}`,
    '',
    `Target **${markdown(run.target.name)}** in the ${markdown(run.world.name)} world, seed ${run.seed}${run.trials > 1 ? ` to ${run.seed + run.trials - 1}` : ''}, scaleproof ${markdown(run.versions.scaleproof)}.`,
    '',
    '| | |',
    '| --- | --- |',
    `| Scenarios | ${scenarios.passed} passed, ${scenarios.failed} failed, ${scenarios.unknown} unknown, ${scenarios.notRun} not run |`,
    ...report.profiles.map((profile) => `| Profile ${profile.name} | ${resultWord(profile)}: ${profileCounts(profile)} |`),
    ...requirementRow(report),
    `| Pods served in time | ${served} |`,
    `| Leaked instances | ${instances.leaked} of ${instances.created} |`,
    `| ${isVirtual(run) ? 'Virtual time' : 'Real time'} | ${formatDuration(run.virtualMs)}${ratio} |`,
    '',
  ];
  const problems = problemsOf(report);
  const shown = problems.slice(0, MAX_PROBLEMS);
  const described = shown.flatMap(({ level, title, lines, replay }) => [
    `- ${level === 'error' ? MARKS.fail : MARKS.unknown} **${markdown(title)}**`,
    ...lines.slice(0, MAX_FINDINGS).map((line) => `  - ${markdown(line)}`),
    ...(lines.length > MAX_FINDINGS ? [`  - and ${lines.length - MAX_FINDINGS} more`] : []),
    ...(replay === undefined ? [] : [`  - ${codeSpan(`scaleproof replay ${replay}`)}`]),
  ]);
  const more = problems.length > shown.length ? [`- and ${formatCount(problems.length - shown.length, 'more trial')}`] : [];
  const wrong = problems.length === 0 ? [] : ['### What went wrong', '', ...described, ...more, ''];
  const tail = [...tableOf(report), ...notRunOf(report)];
  return fit([...head, ...gapsOf(report), ...wrong], tail);
}

/** The user's workloads that no trial shows to be served. */
function gapsOf({ run: { manifests } }: RunReport): string[] {
  const unserved = unservedOf(manifests);
  if (unserved === undefined) return [];
  const { summary, gaps } = unserved;
  const effect = manifests?.strict === true ? ' With --strict they decide the verdict.' : '';
  const shown = gaps.slice(0, MAX_PROBLEMS).map((gap) => `- ${markdown(gap)}`);
  const more = gaps.length - shown.length;
  return [
    '### Workloads that are not served',
    '',
    `${markdown(summary)}.${effect}`,
    '',
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
  ];
}

/** Annotations as workflow commands, one per line: errors for failures, warnings for unknown. */
export function formatAnnotations(report: RunReport): string {
  const problems = problemsOf(report);
  return (['error', 'warning'] as const)
    .flatMap((level) => {
      const own = problems.filter((problem) => problem.level === level);
      // The last annotation says how many are left out.
      const shown = own.length > MAX_ANNOTATIONS ? own.slice(0, MAX_ANNOTATIONS - 1) : own;
      const rest =
        own.length > shown.length
          ? [{ level, title: 'Scaleproof', lines: [`${own.length - shown.length} more, in the step summary`] }]
          : [];
      return [...shown, ...rest].map((problem: Problem) => annotation(problem));
    })
    .join('');
}

function annotation({ level, title, lines, replay }: Problem): string {
  const [first = ''] = lines;
  const more = lines.length > 1 ? `\nand ${formatCount(lines.length - 1, 'other kind')} of finding` : '';
  const how = replay === undefined ? '' : `\nscaleproof replay ${replay}`;
  return `::${level} title=${property(title)}::${message(`${cut(first)}${more}${how}`)}\n`;
}

/** All trials that did not pass, failures first. */
export function problemsOf(report: RunReport): Problem[] {
  const all = report.scenarios.flatMap((scenario) => [
    ...scenario.results.filter(({ verdict }) => verdict !== 'pass').map((trial) => trialProblem(scenario, trial)),
    ...notBegun(scenario),
    ...crashProblem(scenario),
  ]);
  return [...all.filter(({ level }) => level === 'error'), ...all.filter(({ level }) => level === 'warning')];
}

function trialProblem({ id }: ScenarioReport, { seed, verdict, checks, replay }: TrialReport): Problem {
  const kinds = new Map<string, { readonly first: string; count: number }>();
  for (const { code, message: text } of checks.flatMap(({ findings }) => findings)) {
    const kind = kinds.get(code);
    if (kind === undefined) kinds.set(code, { first: cut(text), count: 1 });
    else kind.count += 1;
  }
  const found = [...kinds].map(([code, { first, count }]) => `${code}: ${first}${count > 1 ? ` (and ${count - 1} more like it)` : ''}`);
  const unknown = checks.filter((check) => check.verdict === 'unknown').map(({ check, summary }) => `unknown: ${check}: ${summary}`);
  return {
    level: verdict === 'fail' ? 'error' : 'warning',
    title: `${id} seed ${seed}: ${verdict}`,
    lines: verdict === 'fail' ? found : unknown,
    replay,
  };
}

function notBegun({ id, trials }: ScenarioReport): Problem[] {
  if (trials.notBegun === 0) return [];
  return [{ level: 'warning', title: `${id}: unknown`, lines: [`${formatCount(trials.notBegun, 'trial')} never started`] }];
}

function crashProblem({ id, crashPoints }: ScenarioReport): Problem[] {
  const verdict = crashPoints === undefined ? undefined : crashVerdicts(crashPoints)[0];
  if (crashPoints === undefined || verdict === undefined || verdict === 'pass') return [];
  return [{ level: verdict === 'fail' ? 'error' : 'warning', title: `${id} crash points: ${verdict}`, lines: [countsOf(crashPoints)] }];
}

function requirementRow({ requirements = [] }: RunReport): string[] {
  const asked = requirements.filter(({ verdict }) => verdict !== 'not-run');
  if (asked.length === 0) return [];
  const broken = asked.filter(({ verdict }) => verdict === 'fail').map(({ id, level }) => `${id} (${level})`);
  const held = asked.filter(({ verdict }) => verdict === 'pass').length;
  return [`| Requirements | ${held} of ${asked.length} hold${broken.length === 0 ? '' : `; broken: ${markdown(broken.join(', '))}`} |`];
}

function tableOf({ scenarios }: RunReport): string[] {
  if (scenarios.length === 0) return [];
  const order = ['fail', 'unknown', 'pass'] as const;
  const rows = order.flatMap((verdict) => scenarios.filter((scenario) => scenario.verdict === verdict));
  return [
    '<details><summary>All scenarios</summary>',
    '',
    '| Scenario | Verdict | Trials passed | Pods served | Leaked |',
    '| --- | --- | --- | --- | --- |',
    ...rows
      .slice(0, MAX_ROWS)
      .map(
        ({ id, verdict, trials, results, success, instances }) =>
          `| ${markdown(id)} | ${MARKS[verdict]} ${verdict} | ${trials.passed} of ${results.length + trials.notBegun} | ${success.served} of ${success.asked} | ${instances.leaked} of ${instances.created} |`,
      ),
    ...(rows.length > MAX_ROWS ? [`| and ${rows.length - MAX_ROWS} more | | | | |`] : []),
    '',
    '</details>',
    '',
  ];
}

function notRunOf({ notRun }: RunReport): string[] {
  const reasons = new Map(notRun.map(({ scenario, reason }) => [scenario, reason]));
  if (reasons.size === 0) return [];
  const rows = [...reasons].slice(0, MAX_ROWS).map(([scenario, reason]) => `- ${markdown(scenario)}: ${markdown(reason)}`);
  const more = reasons.size > MAX_ROWS ? [`- and ${reasons.size - MAX_ROWS} more`] : [];
  return ['<details><summary>Not run</summary>', '', ...rows, ...more, '', '</details>', ''];
}

/** Leaves out the tables if the summary would be too long, and says so. */
function fit(head: readonly string[], tail: readonly string[]): string {
  const whole = `${[...head, ...tail].join('\n')}\n`;
  if (Buffer.byteLength(whole) <= MAX_SUMMARY_BYTES) return whole;
  return `${[...head, 'The tables are left out: they are too long for a step summary. `report.html` has them.'].join('\n')}\n`;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Escapes text from a cluster for Markdown: no markup, no mentions, no links. */
export function markdown(text: string): string {
  return (
    cut(text)
      .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/[\\`*_{}[\]#|~$]/g, '\\$&')
      .replaceAll(/#(?=\d)/g, '#&#8203;')
      // GitHub looks for mentions and links after it has decoded entities, so a space without width separates them.
      .replaceAll('@', '&#64;&#8203;')
      .replaceAll('://', '&#58;&#8203;//')
      .replaceAll(/\bwww\./gi, (found) => `${found.slice(0, 3)}&#8203;&#46;`)
  );
}

/** A text as a code span, with a longer fence of backticks than any in the text. */
function codeSpan(text: string): string {
  const { flat, longest } = flatten(text);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

/** The fewest backticks of a fence. */
const FENCE = 3;

/** A command in a block of its own, which GitHub lets readers copy. */
export function codeBlock(command: string): string[] {
  const { flat, longest } = flatten(command);
  const fence = '`'.repeat(Math.max(FENCE, longest + 1));
  return [`${fence}sh`, flat, fence];
}

/** A text without line breaks, and its longest run of backticks. */
function flatten(text: string): { readonly flat: string; readonly longest: number } {
  const flat = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return { flat, longest: Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length)) };
}

/** Escapes the message of a workflow command. */
function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command. */
function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

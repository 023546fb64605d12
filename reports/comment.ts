import { partTrials } from '../gate/evidence.ts';
import type { TellingTrial } from '../gate/evidence.ts';
import type { GateOutcome } from '../gate/outcome.ts';
import { formatCount } from './format.ts';
import { formatList } from '../model/format-list.ts';
import {
  ACCEPTED_TITLE,
  ACTION_WORDS,
  GATE_VERDICTS,
  SIDES,
  bundledText,
  comparedText,
  measuredOf,
  partNotes,
  resultOf,
  tallyText,
  totalOf,
  unseenTexts,
  worstFirst,
} from './gate.ts';
import { MARKS, codeBlock, markdown, problemsOf } from './github.ts';
import type { Problem } from './github.ts';
import { unservedOf } from './manifests.ts';
import { profileCounts, resultWord } from './profiles.ts';
import { versionText } from './program.ts';
import { profileSchema } from './report-input.ts';
import type { RunReport } from './run-report.ts';

/** GitHub rejects a comment of more than 65,536 characters; workflows append a line. */
export const MAX_COMMENT_LENGTH = 65_000;
/** Most failures that a comment describes. */
export const MAX_FAILURES = 10;
/** Most lines about one of them. */
const MAX_LINES = 6;
/** Most entries of a list. */
const MAX_LISTED = 50;
/** Most requirements that are named. */
const MAX_REQUIREMENTS = 30;

const RESULT_MARKS = { pass: MARKS.pass, fail: MARKS.fail, unknown: MARKS.unknown, 'not-run': '➖' } as const;
const PROFILE_MARKS = { success: MARKS.pass, failure: MARKS.fail, partial: '➖', unknown: MARKS.unknown } as const;

/** Said if something was left out because of {@link MAX_COMMENT_LENGTH}. */
const CUT = '\n*Shortened: a comment can have at most 65,536 characters. `report.html` has everything.*\n';

/** A part of a comment: its lines. It is written as a whole or not at all. */
type Section = readonly string[];

/** A gate's decision for a pull request, in the Markdown of GitHub. All markup is Scaleproof's own: everything else is escaped. */
export function formatGateComment(outcome: GateOutcome): string {
  const { decision, sides, scenarios, stopped, manifests, unseen } = outcome;
  const { telling, accepted } = partTrials(decision.criteria);
  const { cautions, others } = partNotes(outcome);
  const unseenLines = unseenTexts(unseen);
  return join([
    [
      `## ${MARKS[GATE_VERDICTS[decision.verdict]]} Scaleproof gate: ${ACTION_WORDS[decision.action].toLowerCase()}`,
      '',
      markdown(decision.sentence),
      '',
      '| | Target | Version | Trials |',
      '| --- | --- | --- | --- |',
      ...SIDES.map((side) => {
        const { target, version = 'not known' } = sides[side];
        return `| ${side} | **${markdown(target)}** | ${markdown(version)} | ${tallyText(totalOf(scenarios, side))} |`;
      }),
    ],
    warning([...SIDES.flatMap((side) => bundledText(sides[side])?.replace(/^This/, `The ${side}`) ?? []), ...cautions.map(markdown)]),
    others.length === 0 ? [] : ['', ...listed(others)],
    [
      '',
      '| Result | Criterion | Measured | Limit |',
      '| --- | --- | --- | --- |',
      ...worstFirst(decision.criteria).map((criterion) => {
        const { look, word } = resultOf(criterion);
        const { measured, limit } = measuredOf(criterion);
        return `| ${RESULT_MARKS[look]} ${word} | ${criterion.criterion} | ${markdown(measured)} | ${markdown(limit)} |`;
      }),
    ],
    ...failures('Trials to look at', telling.map(describeTrial)),
    ...failures(ACCEPTED_TITLE, accepted.map(describeTrial)),
    unserved(manifests),
    details('What was not covered', unseenLines.length === 0 ? [] : [unseenLines.join(' '), ...requirementsLine(unseen.requirements)]),
    details(
      'Why',
      worstFirst(decision.criteria).map(({ criterion, sentence }) => `- **${criterion}**: ${markdown(sentence)}`),
    ),
    [
      '',
      `${comparedText({ decision })}${stopped === undefined ? '' : ` It stopped after ${stopped.trials.run} of ${formatCount(stopped.trials.planned, 'trial')}: no further one could change the decision.`} Decided by scaleproof ${markdown(outcome.version)}; \`report.html\` shows both sides.`,
    ],
  ]);
}

/** A run for a pull request, in the Markdown of GitHub. All markup is Scaleproof's own: everything else is escaped. */
export function formatRunComment(report: RunReport): string {
  const { run, totals, verdict, profiles, notRun, requirements = [] } = report;
  const seeds = run.trials > 1 ? `seeds ${run.seed} to ${run.seed + run.trials - 1}` : `seed ${run.seed}`;
  const bundled = bundledText({ target: run.target.name });
  const profilesLeft = profileSchema.options.filter((name) => !profiles.some((profile) => profile.name === name));
  const untested = requirements.filter(({ scenarios }) => scenarios.length === 0).map(({ id }) => id);
  const done = totals.trials.passed + totals.trials.failed + totals.trials.unknown;
  return join([
    [
      `## ${MARKS[verdict]} Scaleproof: ${verdict}`,
      '',
      `Target **${markdown(run.target.name)}**, ${markdown(versionText(run))}, in the ${markdown(run.world.name)} world: ${formatCount(done, 'trial')}, ${seeds}${judgedBy(run)}.`,
    ],
    warning(bundled === undefined ? [] : [bundled]),
    [
      '',
      '| Result | Profile | Scenarios |',
      '| --- | --- | --- |',
      ...profiles.map(
        (profile) => `| ${PROFILE_MARKS[profile.result]} ${resultWord(profile)} | ${profile.name} | ${profileCounts(profile)} |`,
      ),
    ],
    ...failures('What did not pass', problemsOf(report).map(describeProblem)),
    unserved(unservedOf(run.manifests)),
    details('What was not covered', [
      ...(profilesLeft.length === 0
        ? []
        : [`Nothing of the ${profilesLeft.length === 1 ? 'profile' : 'profiles'} ${formatList(profilesLeft)}.`]),
      ...requirementsLine(untested),
      ...notRunLines(notRun),
    ]),
    ['', 'The full report is `report.html` in the directory of the run.'],
  ]);
}

/** Text that nobody may overlook. */
function warning(texts: readonly string[]): Section {
  return texts.length === 0 ? [] : ['', '> [!WARNING]', ...texts.map((text) => `> ${text}  `)];
}

function describeTrial({ scenario, seed, replay, said }: TellingTrial): Section {
  const mark = said.some(({ verdict }) => verdict === 'fail')
    ? MARKS.fail
    : said.every(({ verdict }) => verdict === 'pass')
      ? '➖'
      : MARKS.unknown;
  const lines = said.map(({ criterion, what }) => `${criterion}: ${what}`);
  return failure(`${mark} **${markdown(scenario)}** seed ${seed}`, lines, replay);
}

function describeProblem({ level, title, lines, replay = '' }: Problem): Section {
  return failure(`${level === 'error' ? MARKS.fail : MARKS.unknown} **${markdown(title)}**`, lines, replay);
}

function failure(title: string, lines: readonly string[], replay: string): Section {
  const more = lines.length - MAX_LINES;
  return [
    '',
    title,
    '',
    ...lines.slice(0, MAX_LINES).map((line) => `- ${markdown(line)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(replay === '' ? [] : ['', ...codeBlock(`scaleproof replay ${replay}`)]),
  ];
}

/** The first failures, each a section of its own, and how many more there are. */
function failures(heading: string, all: readonly Section[]): Section[] {
  const [first, ...others] = all.slice(0, MAX_FAILURES);
  if (first === undefined) return [];
  const more = all.length - MAX_FAILURES;
  return [['', `### ${heading}`, ...first], ...others, ...(more > 0 ? [['', `and ${more} more in \`report.html\``]] : [])];
}

/** Not said twice of a bundled target, which has the same version. */
function judgedBy(run: RunReport['run']): string {
  const version = `scaleproof ${run.versions.scaleproof}`;
  return versionText(run) === version ? '' : `, ${markdown(version)}`;
}

/** Workloads of the user's manifests that can't be shown to be served. */
function unserved(manifests: GateOutcome['manifests']): Section {
  if (manifests === undefined) return [];
  return ['', '### Workloads that are not served', '', `${markdown(manifests.summary)}:`, '', ...listed(manifests.gaps)];
}

function listed(texts: readonly string[]): string[] {
  const more = texts.length - MAX_LISTED;
  return [...texts.slice(0, MAX_LISTED).map((text) => `- ${markdown(text)}`), ...(more > 0 ? [`- and ${more} more`] : [])];
}

function requirementsLine(ids: readonly string[]): string[] {
  const more = ids.length - MAX_REQUIREMENTS;
  const named = ids.slice(0, MAX_REQUIREMENTS).join(', ');
  return ids.length === 0 ? [] : ['', `Requirements without a test: ${markdown(named)}${more > 0 ? ` and ${more} more` : ''}.`];
}

function notRunLines(notRun: RunReport['notRun']): string[] {
  const reasons = new Map(notRun.map(({ scenario, reason }) => [scenario, reason]));
  return reasons.size === 0 ? [] : ['', 'Not run:', '', ...listed([...reasons].map(([scenario, reason]) => `${scenario}: ${reason}`))];
}

/** A part that is collapsed; nothing without lines. */
function details(title: string, lines: readonly string[]): Section {
  return lines.length === 0 ? [] : ['', `<details><summary>${title}</summary>`, '', ...lines, '', '</details>'];
}

/** Leaves out sections that don't fit, and says so. */
function join(sections: readonly Section[]): string {
  let text = '';
  let isCut = false;
  for (const section of sections) {
    const own = section.map((line) => `${line}\n`).join('');
    if (text.length + own.length + CUT.length <= MAX_COMMENT_LENGTH) text += own;
    else isCut = true;
  }
  return isCut ? `${text}${CUT}` : text;
}

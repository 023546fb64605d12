import { constants, appendFileSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { anonymise, createAnonymiser, targetNames } from '../../reports/anonymous.ts';
import { badgeOf, formatBadge, formatEndpoint } from '../../reports/badge.ts';
import { formatGateComment, formatRunComment } from '../../reports/comment.ts';
import { formatAnnotations, formatSummary } from '../../reports/github.ts';
import { formatMatrix } from '../../reports/matrix-report.ts';
import type { ReportInput, RunFacts } from '../../reports/report-input.ts';
import { MAX_TREND_RUNS } from '../../reports/trend.ts';
import type { TrendSource } from '../../reports/trend.ts';
import { holds, writeAllure } from '../allure-site.ts';
import type { Console } from '../console.ts';
import { readEarlierRuns } from '../earlier-runs.ts';
import type { EarlierRun } from '../earlier-runs.ts';
import { isGateDirectory, readGateOutcome, writeGatePage } from '../gate/outcome.ts';
import { judgeRun } from '../judge-run.ts';
import { makeFolders } from '../../model/make-folders.ts';
import { isMatrixDirectory, openMatrix } from '../matrix/directory.ts';
import { writeMatrix } from '../matrix/write-matrix.ts';
import { MATRIX_FILE, MATRIX_PAGE, createRunDirectory, writeRunFacts } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { writeReports } from '../write-reports.ts';
import { reportTrial } from '../report-trial.ts';
import { usagePath, writeUsage } from '../../history/usage.ts';

/** The flags of `report`, parsed; `true` for a flag without its optional path. */
export interface ReportOptions {
  /** Directories of earlier runs, or their report.json. */
  readonly earlier?: readonly string[] | undefined;
  readonly allure?: string | true | undefined;
  readonly history?: string | undefined;
  readonly badge?: string | true | undefined;
  readonly github?: string | true | undefined;
  /** Print Markdown for a comment on a pull request. */
  readonly githubComment: boolean;
  readonly anonymous?: boolean | undefined;
  /** Words to hide besides the names that the run knows. */
  readonly hide: readonly string[];
  readonly out?: string | undefined;
  readonly json: boolean;
}

/** The variable with the file for the step summary in GitHub Actions. */
const SUMMARY_VARIABLE = 'GITHUB_STEP_SUMMARY';

/**
 * `scaleproof report DIR`: rewrites the reports of a run, a gate or a matrix from its directory alone, and writes others on request.
 * The exit code says whether they were written, not the verdict.
 */
export async function report(directory: string, options: ReportOptions, console: Console): Promise<number> {
  if (isGateDirectory(directory)) return reportGate(directory, options, console);
  if (isMatrixDirectory(directory)) return reportMatrix(directory, options, console);
  const summary = refuseFlags(directory, options);
  const named = readEarlierRuns(options.earlier ?? []);
  const { run, judged } = judgeRun(directory, console);
  const earlier = withoutItself(run, named, console);
  const whole: ReportInput = { run, trials: judged.map((trial) => reportTrial(directory, trial)), notRun: run.notRun };
  const input = options.anonymous === true ? withoutNames(whole, options) : whole;

  const out = options.out === undefined ? directory : createRunDirectory(options.out, run.startedAt);
  if (options.out !== undefined) {
    if (options.anonymous === true) writeHistories(out, input);
    else copyHistories(directory, out, input);
    writeRunFacts(out, input.run);
  }
  const made = writeReports(out, input, earlier);
  const written = ['report.html', 'report.json', 'junit.xml'].map((name) => join(out, name));

  if (options.badge !== undefined) {
    const svg = options.badge === true ? join(out, 'badge.svg') : options.badge;
    const endpoint = svg.replace(/(\.svg)?$/i, '.json');
    const badge = badgeOf(made);
    writeTo(svg, formatBadge(badge));
    writeTo(endpoint, formatEndpoint(badge));
    written.push(svg, endpoint);
  }
  let code: number = EXIT.pass;
  if (options.allure !== undefined) {
    const place = options.allure === true ? join(out, 'allure') : options.allure;
    const site = await writeAllure(input, made, {
      directory: place,
      history: options.history,
      page: join(out, 'report.html'),
      anonymous: options.anonymous === true,
    });
    written.push(site.results);
    if (site.kind === 'built') written.push(site.page);
    if (site.kind === 'not-installed')
      console.err(
        `\`allure\` is not installed, so no site was built from ${shown(site.results)}. Install it with \`npm install --save-dev allure\` and repeat the command, or: (cd ${shown(place)} && npx allure generate)\n`,
      );
    if (site.kind === 'failed') {
      console.err(`\`allure generate\` failed, so there is no site for ${shown(site.results)}: ${site.why}\n`);
      code = EXIT.unknown;
    }
  }
  if (summary !== undefined) {
    writeTo(summary, formatSummary(made), appendFileSync);
    console.out(formatAnnotations(made));
  }
  if (options.githubComment) console.out(formatRunComment(made));
  if (options.json) console.out(`${JSON.stringify({ directory: out, ...made }, undefined, 2)}\n`);
  else printWritten(written, options, console);
  return code;
}

/** The earlier runs, except the run itself, so that `--earlier runs/*` works. @throws UsageError if they are too many */
function withoutItself({ id, startedAt }: RunFacts, earlier: readonly EarlierRun[], console: Console): TrendSource[] {
  const isItself = ({ source: { run } }: EarlierRun): boolean => run.id === id && run.startedAt === startedAt;
  for (const { path } of earlier.filter(isItself)) console.err(`--earlier ${path} is the run itself, which the trend has anyway\n`);
  const others = earlier.filter((one) => !isItself(one)).map(({ source }) => source);
  if (others.length >= MAX_TREND_RUNS)
    throw new UsageError(`--earlier takes at most ${MAX_TREND_RUNS - 1} runs, not ${others.length}: leave out the oldest`);
  return others;
}

/** @throws UsageError for a flag that applies to runs @param what the directory is of */
function refuseRunFlags(directory: string, { githubComment: _comment, json: _json, hide, ...others }: ReportOptions, what: string): void {
  const given = Object.entries({ ...others, hide: hide.length === 0 ? undefined : hide }).find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw new UsageError(
      `--${given[0]} applies only to runs, and ${directory} is the directory of a ${what}: name one of its runs, or leave it out`,
    );
}

/** A matrix has its page, and the reports of its versions. @throws UsageError for a flag that applies to others */
function reportMatrix(directory: string, options: ReportOptions, console: Console): number {
  refuseRunFlags(directory, options, 'matrix');
  if (options.githubComment) throw new UsageError(`--github-comment does not apply to a matrix; ${directory} has a matrix.md`);
  const release = openMatrix(directory);
  try {
    const made = writeMatrix(directory);
    if (options.json) console.out(formatMatrix(made));
    else printWritten([join(directory, MATRIX_PAGE), join(directory, MATRIX_FILE)], options, console);
  } finally {
    release();
  }
  return EXIT.pass;
}

/** A gate has a page only. @throws UsageError for a flag that applies to runs */
function reportGate(directory: string, options: ReportOptions, console: Console): number {
  const { githubComment, json } = options;
  refuseRunFlags(directory, options, 'gate');
  refuseBoth(options);
  const outcome = readGateOutcome(directory);
  const page = writeGatePage(directory, outcome);
  if (githubComment) console.out(formatGateComment(outcome));
  if (json) console.out(`${JSON.stringify({ directory, ...outcome }, undefined, 2)}\n`);
  else printWritten([page], options, console);
  return EXIT.pass;
}

/** With a comment, standard output has nothing else. */
function printWritten(paths: readonly string[], { githubComment }: ReportOptions, console: Console): void {
  const print = githubComment ? console.err : console.out;
  print(paths.map((path) => `Wrote ${shown(path)}\n`).join(''));
}

/** @throws UsageError if two formats would be mixed */
function refuseBoth({ github, githubComment, json }: ReportOptions): void {
  const printing = Object.entries({ '--github': github !== undefined, '--github-comment': githubComment, '--json': json });
  const [first, second] = printing.filter(([, isGiven]) => isGiven).map(([flag]) => flag);
  if (second !== undefined) throw new UsageError(`${first} and ${second} both print to standard output: run the command twice`);
}

/** @returns the file of the step summary, if one is to be written */
function refuseFlags(directory: string, options: ReportOptions): string | undefined {
  const { allure, earlier, history, github, anonymous, hide, out } = options;
  if (history !== undefined && allure === undefined) throw new UsageError('--history is for --allure: use both, or neither');
  if (hide.length > 0 && anonymous !== true) throw new UsageError('--hide is for --anonymous: use both, or neither');
  if (anonymous === true && earlier !== undefined)
    throw new UsageError('--earlier and --anonymous cannot be combined: the reports of earlier runs have the names');
  if (anonymous === true && out === undefined)
    throw new UsageError(
      `--anonymous needs --out: ${directory} itself contains the names, in run.json and in the histories; name a directory that is new or empty`,
    );
  refuseBoth(options);
  if (github === undefined) return undefined;
  const summary = github === true ? process.env[SUMMARY_VARIABLE] : github;
  if (summary === undefined || summary === '')
    throw new UsageError(`--github: ${SUMMARY_VARIABLE} is not set, so this is not a GitHub Actions step; name a file with --github FILE`);
  return summary;
}

/** @throws UsageError when the names can't be hidden */
function withoutNames(input: ReportInput, { hide, history }: ReportOptions): ReportInput {
  try {
    const names = targetNames(input, hide);
    const { text } = createAnonymiser(names);
    if (history !== undefined && holds(history, (content) => text(content) !== content))
      throw new Error(`${history} contains names; use a history that has only anonymous reports`);
    return anonymise(input, names);
  } catch (error) {
    throw new UsageError(`--anonymous: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Copies the histories unchanged, and what was measured beside them. */
function copyHistories(from: string, to: string, { run }: ReportInput): void {
  for (const file of run.planned.flatMap(({ history }) => [history, usagePath(history)]))
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
}

/** Writes the histories without names. A truncated one stays truncated, so that `check` gives the same result. */
function writeHistories(to: string, { trials }: ReportInput): void {
  for (const { result, seen, events } of trials) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    writeFileSync(join(to, result.history), `${lines.join('')}${seen.truncated ? '{' : ''}`);
    if (result.usage !== undefined) writeUsage(join(to, result.history), result.usage);
  }
}

/** @throws UsageError when the file can't be written */
function writeTo(path: string, content: string, write: (path: string, content: string) => void = writeFileSync): void {
  try {
    makeFolders(dirname(resolve(path)));
    write(path, content);
  } catch (error) {
    throw new UsageError(`${path} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function shown(path: string): string {
  return relative('.', path) || '.';
}

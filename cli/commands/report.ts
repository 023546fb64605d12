import { constants, appendFileSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { anonymise, createAnonymiser, targetNames } from '../../reports/anonymous.ts';
import { badgeOf, formatBadge, formatEndpoint } from '../../reports/badge.ts';
import { formatAnnotations, formatSummary } from '../../reports/github.ts';
import type { ReportInput } from '../../reports/report-input.ts';
import { holds, writeAllure } from '../allure-site.ts';
import type { Console } from '../console.ts';
import { judgeRun } from '../judge-run.ts';
import { makeFolders } from '../../model/make-folders.ts';
import { createRunDirectory, writeRunFacts } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { writeReports } from '../write-reports.ts';
import { reportTrial } from '../report-trial.ts';

/** The flags of `report`, parsed; `true` for a flag without its optional path. */
export interface ReportOptions {
  readonly allure?: string | true | undefined;
  readonly history?: string | undefined;
  readonly badge?: string | true | undefined;
  readonly github?: string | true | undefined;
  readonly anonymous?: boolean | undefined;
  /** Words to hide besides the names that the run knows. */
  readonly hide: readonly string[];
  readonly out?: string | undefined;
  readonly json: boolean;
}

/** The variable with the file for the step summary in GitHub Actions. */
const SUMMARY_VARIABLE = 'GITHUB_STEP_SUMMARY';

/**
 * `scaleproof report DIR`: rewrites the reports of a run from its directory alone, and writes others on request.
 * The exit code says whether they were written, not the verdict.
 */
export async function report(directory: string, options: ReportOptions, console: Console): Promise<number> {
  const summary = refuseFlags(directory, options);
  const { run, judged } = judgeRun(directory, console);
  const named: ReportInput = { run, trials: judged.map((trial) => reportTrial(directory, trial)), notRun: run.notRun };
  const input = options.anonymous === true ? withoutNames(named, options) : named;

  const out = options.out === undefined ? directory : createRunDirectory(options.out, run.startedAt);
  if (options.out !== undefined) {
    if (options.anonymous === true) writeHistories(out, input);
    else copyHistories(directory, out, input);
    writeRunFacts(out, input.run);
  }
  const made = writeReports(out, input);
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
  if (options.json) console.out(`${JSON.stringify({ directory: out, ...made }, undefined, 2)}\n`);
  else console.out(`${written.map((path) => `Wrote ${shown(path)}\n`).join('')}`);
  return code;
}

/** @returns the file of the step summary, if one is to be written */
function refuseFlags(directory: string, { allure, history, github, anonymous, hide, out, json }: ReportOptions): string | undefined {
  if (history !== undefined && allure === undefined) throw new UsageError('--history is for --allure: use both, or neither');
  if (hide.length > 0 && anonymous !== true) throw new UsageError('--hide is for --anonymous: use both, or neither');
  if (anonymous === true && out === undefined)
    throw new UsageError(
      `--anonymous needs --out: ${directory} itself contains the names, in run.json and in the histories; name a directory that is new or empty`,
    );
  if (github === undefined) return undefined;
  if (json) throw new UsageError('--github and --json both print to standard output: run the command twice');
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

/** Copies the histories unchanged. */
function copyHistories(from: string, to: string, { run }: ReportInput): void {
  for (const { history } of run.planned)
    if (existsSync(join(from, history))) copyFileSync(join(from, history), join(to, history), constants.COPYFILE_FICLONE);
}

/** Writes the histories without names. A truncated one stays truncated, so that `check` gives the same result. */
function writeHistories(to: string, { trials }: ReportInput): void {
  for (const { result, seen, events } of trials) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    writeFileSync(join(to, result.history), `${lines.join('')}${seen.truncated ? '{' : ''}`);
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

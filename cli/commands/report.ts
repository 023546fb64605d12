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

/** The flags of `report`, parsed; `true` where a path was left out. */
export interface ReportOptions {
  readonly allure?: string | true | undefined;
  readonly history?: string | undefined;
  readonly badge?: string | true | undefined;
  readonly github?: string | true | undefined;
  readonly anonymous?: boolean | undefined;
  /** Words to be hidden besides the names that the run knows. */
  readonly hide: readonly string[];
  readonly out?: string | undefined;
  readonly json: boolean;
}

/** Where GitHub Actions takes the summary of a step. */
const SUMMARY_VARIABLE = 'GITHUB_STEP_SUMMARY';

/**
 * `scaleproof report DIR`: writes the reports of a run again, from its directory alone, and others that are asked for.
 * The verdict is in them: the exit code says whether they were written.
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
        `There is no \`allure\` here, so no site was built of ${shown(site.results)}. Install it with \`npm install --save-dev allure\` and repeat the command, or: (cd ${shown(place)} && npx allure generate)\n`,
      );
    if (site.kind === 'failed') {
      console.err(`\`allure generate\` failed, so there is no site of ${shown(site.results)}: ${site.why}\n`);
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
  if (history !== undefined && allure === undefined) throw new UsageError('--history is for --allure: give both, or neither');
  if (hide.length > 0 && anonymous !== true) throw new UsageError('--hide is for --anonymous: give both, or neither');
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

/** @throws UsageError when that can't be kept */
function withoutNames(input: ReportInput, { hide, history }: ReportOptions): ReportInput {
  try {
    const names = targetNames(input, hide);
    const { text } = createAnonymiser(names);
    if (history !== undefined && holds(history, (content) => text(content) !== content))
      throw new Error(`${history} is of runs with names; take a history that only anonymous reports were added to`);
    return anonymise(input, names);
  } catch (error) {
    throw new UsageError(`--anonymous: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The evidence as it is. */
function copyHistories(from: string, to: string, { run }: ReportInput): void {
  for (const { history } of run.planned)
    if (existsSync(join(from, history))) copyFileSync(join(from, history), join(to, history), constants.COPYFILE_FICLONE);
}

/** The evidence without names. What broke off is left broken off: `check` is to come to the same. */
function writeHistories(to: string, { trials }: ReportInput): void {
  for (const { result, seen, events } of trials) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    writeFileSync(join(to, result.history), `${lines.join('')}${seen.truncated ? '{' : ''}`);
  }
}

/** @throws UsageError where the user named a file that can't be written */
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

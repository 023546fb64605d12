import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { allureCategories, formatAllure } from '../reports/allure.ts';
import type { ReportInput } from '../reports/report-input.ts';
import type { RunReport } from '../reports/run-report.ts';
import { makeFolders } from '../model/make-folders.ts';
import { UsageError } from './usage-error.ts';

/** Folders in the directory of `--allure`; the second one holds the site. */
const RESULTS = 'allure-results';
const SITE = 'allure-report';
/** The configuration that `allure generate` reads in that directory. */
const CONFIG = 'allurerc.json';
/** Longest that `allure` may run: it reads each result and writes a few files for each. */
const SITE_LIMIT_MS = 600_000;
/** Characters of its output, from the end, that an error message shows. */
const MAX_OUTPUT_SHOWN = 600;
/** Runs kept in a history: each is a line with every result. */
const MAX_HISTORY_RUNS = 100;

interface AllureOptions {
  /** Where results and site are written. */
  readonly directory: string;
  /** The file with earlier runs; this run is added to it. Without it the site shows this run alone. */
  readonly history: string | undefined;
  /** The report page that results link to. */
  readonly page: string;
  /** Leave out the repository and the CI job, which Allure shows otherwise. */
  readonly anonymous: boolean;
}

/** The outcome of building the site. */
type AllureSite =
  | { readonly kind: 'built'; readonly page: string; readonly results: string }
  /** `allure` is not installed, so only the results were written. */
  | { readonly kind: 'not-installed'; readonly results: string }
  | { readonly kind: 'failed'; readonly results: string; readonly why: string };

/**
 * Writes Allure results, and builds their site with the `allure` that is installed in the working directory, in a folder above
 * it, or on PATH.
 * @throws UsageError when the directory holds results that scaleproof did not write
 */
export async function writeAllure(input: ReportInput, report: RunReport, options: AllureOptions): Promise<AllureSite> {
  const directory = resolve(options.directory);
  const [results, site, config] = [RESULTS, SITE, CONFIG].map((name) => join(directory, name)) as [string, string, string];
  if (!existsSync(config) && (existsSync(results) || existsSync(site)))
    throw new UsageError(`${directory} has an ${RESULTS} or ${SITE} that scaleproof did not write; name another directory with --allure`);
  for (const folder of [results, site]) rmSync(folder, { recursive: true, force: true });
  makeFolders(results);
  const reportUrl = urlFrom(site, resolve(options.page));
  for (const { name, content } of formatAllure(input, report, { reportUrl })) writeFileSync(join(results, name), content);
  const history = options.history === undefined ? undefined : resolve(options.history);
  if (history !== undefined) makeFolders(dirname(history));
  writeFileSync(config, configOf(report, history === undefined ? undefined : urlFrom(directory, history)));
  return build(directory, { results, site, anonymous: options.anonymous });
}

/** A relative path with the slashes of a URL. */
function urlFrom(folder: string, file: string): string {
  return relative(folder, file).replaceAll('\\', '/');
}

function configOf(report: RunReport, historyPath: string | undefined): string {
  const config = {
    name: `Scaleproof: ${report.run.target.name} in the ${report.run.world.name} world`,
    output: SITE,
    resultsDir: RESULTS,
    ...(historyPath !== undefined && { historyPath, appendHistory: true, historyLimit: MAX_HISTORY_RUNS }),
    categories: { rules: allureCategories(report) },
    plugins: { awesome: { options: { groupBy: ['epic', 'suite'] } } },
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

async function build(
  directory: string,
  { results, site, anonymous }: { readonly results: string; readonly site: string; readonly anonymous: boolean },
): Promise<AllureSite> {
  const { execa } = await import('execa');
  const { exitCode, code, timedOut, all } = await execa('allure', ['generate', '--config', CONFIG, RESULTS], {
    cwd: directory,
    preferLocal: true,
    localDir: process.cwd(),
    ...(anonymous ? { extendEnv: false, env: bareEnvironment() } : { env: { NO_COLOR: '1', FORCE_COLOR: undefined } }),
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: SITE_LIMIT_MS,
    killDescendants: true,
  });
  if (code === 'ENOENT') return { kind: 'not-installed', results };
  const page = join(site, 'index.html');
  if (exitCode === 0 && existsSync(page)) {
    writeFileSync(page, withoutAnalytics(readFileSync(page, 'utf8')));
    return { kind: 'built', page, results };
  }
  const how = timedOut ? `it did not finish within ${SITE_LIMIT_MS / 1000} s` : `exit code ${exitCode ?? 'none'}`;
  const output = all.trim().slice(-MAX_OUTPUT_SHOWN);
  return { kind: 'failed', results, why: output === '' ? how : `${how}; its output: ${output}` };
}

/** What a program needs to run, and nothing that identifies the CI job, the repository or the branch. */
function bareEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'PATHEXT'].flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), GIT_DIR: 'none', NO_COLOR: '1' };
}

/** Allure's page loads Google Analytics and has no option to turn it off. Nobody should track who reads a report. */
function withoutAnalytics(page: string): string {
  return page.replace(/<script[^>]*googletagmanager[^>]*><\/script>\s*<script>[^<]*\bgtag\([^<]*<\/script>/g, '');
}

/** Whether a history of earlier runs contains something that must not appear in any output. */
export function holds(history: string, isNamed: (text: string) => boolean): boolean {
  return existsSync(history) && isNamed(readFileSync(history, 'utf8'));
}

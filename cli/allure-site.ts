import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { execa } from 'execa';
import { allureCategories, formatAllure } from '../reports/allure.ts';
import type { ReportInput } from '../reports/report-input.ts';
import type { RunReport } from '../reports/run-report.ts';
import { makeFolders } from '../model/make-folders.ts';
import { UsageError } from './usage-error.ts';

/** Folders within the directory of `--allure`; the second has the site. */
const RESULTS = 'allure-results';
const SITE = 'allure-report';
/** How the site is built: for `allure generate` in that directory. */
const CONFIG = 'allurerc.json';
/** Longest that `allure` may take: it reads each result and writes a few files for each. */
const SITE_LIMIT_MS = 600_000;
/** Of what it printed, at its end, when it failed. */
const MAX_LAST_WORDS = 600;
/** Runs that a history keeps: each is a line with every result. */
const MAX_HISTORY_RUNS = 100;

interface AllureOptions {
  /** Where results and site are written. */
  readonly directory: string;
  /** What is remembered of earlier runs; this one is added to it. Without it the site shows this run alone. */
  readonly history: string | undefined;
  /** The report page that results link to. */
  readonly page: string;
  /** The site tells nothing of the repository and of the CI job that it is built in, as Allure does otherwise. */
  readonly anonymous: boolean;
}

/** What became of the site. */
type AllureSite =
  | { readonly kind: 'built'; readonly page: string; readonly results: string }
  /** There is no `allure` here, and results are all that could be made. */
  | { readonly kind: 'not-installed'; readonly results: string }
  | { readonly kind: 'failed'; readonly results: string; readonly why: string };

/**
 * Writes Allure results, and builds the site of them with the `allure` that is installed in the folder where the command
 * is called or one above it, or on PATH.
 * @throws UsageError when the directory holds results of somebody else
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

/** A relative path as a URL has it. */
function urlFrom(folder: string, file: string): string {
  return relative(folder, file).replaceAll('\\', '/');
}

function configOf(report: RunReport, historyPath: string | undefined): string {
  const config = {
    name: `Scaleproof: ${report.run.target.name} in the ${report.run.world.name} world`,
    output: SITE,
    resultsDir: RESULTS,
    ...(historyPath === undefined ? {} : { historyPath, appendHistory: true, historyLimit: MAX_HISTORY_RUNS }),
    categories: { rules: allureCategories(report) },
    plugins: { awesome: { options: { groupBy: ['epic', 'suite'] } } },
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

async function build(
  directory: string,
  { results, site, anonymous }: { readonly results: string; readonly site: string; readonly anonymous: boolean },
): Promise<AllureSite> {
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
  const how = timedOut ? `it did not end within ${SITE_LIMIT_MS / 1000} s` : `exit code ${exitCode ?? 'none'}`;
  const lastWords = all.trim().slice(-MAX_LAST_WORDS);
  return { kind: 'failed', results, why: lastWords === '' ? how : `${how}; it said: ${lastWords}` };
}

/** What a program needs to run, and nothing that tells where: no CI job, no repository, no branch. */
function bareEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'PATHEXT'].flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), GIT_DIR: 'none', NO_COLOR: '1' };
}

/** Allure's page loads Google Analytics, and has no switch for it: readers of a report are told to nobody. */
function withoutAnalytics(page: string): string {
  return page.replace(/<script[^>]*googletagmanager[^>]*><\/script>\s*<script>[^<]*\bgtag\([^<]*<\/script>/g, '');
}

/** Whether a history of earlier runs holds something that is to be taken out of all outputs. */
export function holds(history: string, isNamed: (text: string) => boolean): boolean {
  return existsSync(history) && isNamed(readFileSync(history, 'utf8'));
}

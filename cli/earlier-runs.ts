import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPORT_API_VERSION } from '../reports/run-report.ts';
import { isSameRun, trendSourceSchema } from '../reports/trend.ts';
import type { TrendSource } from '../reports/trend.ts';
import { GATE_FILE } from './run-directory.ts';
import { UsageError } from './usage-error.ts';

/** An earlier run, and where its report is. */
export interface EarlierRun {
  readonly path: string;
  readonly source: TrendSource;
}

/**
 * The reports of earlier runs, each named by its directory or its report.json.
 * @throws UsageError for anything else, and for a run that is named twice
 */
export function readEarlierRuns(paths: readonly string[]): EarlierRun[] {
  const runs = paths.map((path) => ({ path, source: readSource(path) }));
  for (const [index, { path, source }] of runs.entries()) {
    const first = runs.slice(0, index).find((one) => isSameRun(one.source, source));
    if (first !== undefined) throw new UsageError(`--earlier ${path} is the same run as ${first.path}: name each run once`);
  }
  return runs;
}

const headSchema = z.object({ kind: z.string(), apiVersion: z.string() });

function readSource(path: string): TrendSource {
  const file = reportFile(path);
  const content = parseJson(file);
  const head = headSchema.safeParse(content);
  if (!head.success || head.data.kind !== 'ConformanceReport')
    throw new UsageError(`--earlier ${file} is not the report of a run: name run directories, or report.json files`);
  if (head.data.apiVersion !== REPORT_API_VERSION)
    throw new UsageError(
      `--earlier ${file} has the format ${head.data.apiVersion}, and this version of Scaleproof reads ${REPORT_API_VERSION}: leave it out`,
    );
  const parsed = trendSourceSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    `--earlier ${file} is not a valid report.json: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}; \`scaleproof report DIR\` writes it again`,
  );
}

/** The report.json that a path names. */
function reportFile(path: string): string {
  if (!existsSync(path)) throw new UsageError(`--earlier ${path} does not exist`);
  if (!statSync(path).isDirectory()) return path;
  const file = join(path, 'report.json');
  if (existsSync(file)) return file;
  if (existsSync(join(path, 'run.json')))
    throw new UsageError(`--earlier ${path} has no report.json; write it with: scaleproof report ${path}`);
  const what = existsSync(join(path, GATE_FILE)) ? 'is the directory of a gate' : 'has no report.json';
  throw new UsageError(`--earlier ${path} ${what}: name run directories, or report.json files`);
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--earlier ${file} can't be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

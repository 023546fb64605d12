import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { BuildError } from './build-error.ts';
import type { GoCall, GoTool } from './go-tool.ts';

const downloadSchema = z.object({
  Path: z.string(),
  Version: z.string().optional(),
  Error: z.string().optional(),
  Info: z.string().optional(),
  Dir: z.string().optional(),
  Sum: z.string().optional(),
  Origin: z.object({ Hash: z.string().optional() }).optional(),
});
const infoSchema = z.object({ Time: z.string().optional() });

/** A module in Go's module cache. */
export interface DownloadedModule {
  readonly path: string;
  readonly version: string;
  /** The folder of its files, read-only. */
  readonly directory: string;
  /** The hash of all its files, as in go.sum: `h1:...`. */
  readonly sum: string;
  /** Its commit, if the proxy has it. */
  readonly commit: string | undefined;
  /** The time of the commit. */
  readonly time: string | undefined;
}

/**
 * Downloads a module, or finds it in Go's module cache.
 * @param query a version, or a commit
 * @returns the reason, as text, if Go can't get it
 * @throws BuildError if Go is missing or too old for it
 */
export async function downloadModule(go: GoTool, path: string, query: string, call: GoCall): Promise<DownloadedModule | string> {
  const { stdout, stderr } = await go.run(['mod', 'download', '-json', `${path}@${query}`], call);
  const parsed = downloadSchema.safeParse(parseJson(stdout));
  if (!parsed.success) return firstLineOf(stderr) || "Go's output could not be parsed";
  const { Version: version, Dir: directory, Sum: sum, Info: info, Origin: origin, Error: error } = parsed.data;
  if (error !== undefined || version === undefined || directory === undefined || sum === undefined)
    return firstLineOf(error ?? stderr) || 'Go gave no reason';
  return { path, version, directory, sum, commit: origin?.Hash, time: info === undefined ? undefined : timeOf(info) };
}

function timeOf(path: string): string | undefined {
  const parsed = infoSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  return parsed.success ? parsed.data.Time : undefined;
}

/** Parses a JSON text; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function firstLineOf(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

/**
 * The hash of a module's files as in go.sum, under a given name (`Hash1` of golang.org/x/mod/sumdb/dirhash): SHA-256 over
 * the SHA-256 and name of each file, sorted by name.
 * @param name with its version, as in `sigs.k8s.io/karpenter@v1.14.1`
 */
export function moduleHash(directory: string, name: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file))
    .map((path) => ({ path, named: `${name}/${relative(directory, path).replaceAll(sep, '/')}` }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.named), Buffer.from(b.named)));
  const whole = createHash('sha256');
  for (const { path, named } of files) whole.update(`${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${named}\n`);
  return `h1:${whole.digest('base64')}`;
}

/** A module at an untagged commit, whose next release would be `tag`. */
export interface PseudoVersion {
  readonly module: string;
  readonly version: string;
  /** The next release. */
  readonly tag: string;
  /** Time of the commit, in UTC: `20260819221709`. */
  readonly timestamp: string;
  /** The first digits of the commit. */
  readonly commit: string;
}

/** `vX.Y.Z-0.TIME-COMMIT` sorts between two releases (go.dev/ref/mod#pseudo-versions). */
const PSEUDO_VERSION = /([^\s:@"]+)@((v\d+\.\d+\.\d+)-0\.(\d{14})-([0-9a-f]{12}))(?![\w.-]):? (?:reading|invalid|unknown|verifying|git)/;

/** The pseudo-version of a module that Go reports as unavailable; undefined for other errors. */
export function refusedModule(said: string): PseudoVersion | undefined {
  const [, module, version, tag, timestamp, commit] = PSEUDO_VERSION.exec(said) ?? [];
  if (module === undefined || version === undefined || tag === undefined || timestamp === undefined || commit === undefined)
    return undefined;
  return { module, version, tag, timestamp, commit };
}

/**
 * How it was verified that a release is the commit of a pseudo-version.
 * @param goSum of the program that needs the pseudo-version
 * @throws BuildError if they differ
 */
export function evidenceOf(
  { module, version, tag, timestamp, commit }: PseudoVersion,
  release: DownloadedModule,
  goSum: string,
): 'content' | 'commit' | 'time' | 'none' {
  const refuse = (what: string): never => {
    throw new BuildError(
      `${module}@${version} can't be fetched, and ${tag} is not the same: ${what}; build from checkouts with --source and --core`,
    );
  };
  const start = `${module} ${version} `;
  const sum = goSum
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.slice(start.length)
    .trim();
  if (sum !== undefined)
    return moduleHash(release.directory, `${module}@${version}`) === sum ? 'content' : refuse("its files don't match the program's go.sum");
  if (release.commit !== undefined) return release.commit.startsWith(commit) ? 'commit' : refuse(`it is commit ${release.commit}`);
  if (release.time === undefined) return 'none';
  return digitsOf(release.time) === timestamp ? 'time' : refuse(`it was committed at ${release.time}`);
}

/** `2026-08-19T22:17:09Z` in the format of a pseudo-version. */
function digitsOf(time: string): string {
  return new Date(time).toISOString().replaceAll(/\D/g, '').slice(0, 14);
}

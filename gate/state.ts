import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { verdictSchema } from '../history/verdict.ts';
import type { Episode } from './episode.ts';
import { appendDurably, wholeLines } from './append.ts';
import { keyOf } from './sides.ts';

/**
 * Episodes of one version of a target, kept across runs: a file of JSON lines, with a header in the first line and one episode in
 * each other line. Lines are only appended; the next append drops a line that a crash truncated. There is no protection against
 * concurrent appends: a gate locks the directory while it runs.
 */

/** The stored episodes can't be used, or must not be mixed with new ones. The message says which file, why, and what to do. */
export class StateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StateError';
  }
}

const FORMAT = 'scaleproof-gate-episodes';
/** Rises when older readers would misread a newer file. */
const FORMAT_NUMBER = 1;

/** More than any gate needs. */
export const MAX_STATE_EPISODES = 10_000;
export const MAX_STATE_BYTES = 64 * 1024 * 1024;

const versionSchema = z.strictObject({
  /** The user's name for it. */
  target: z.string(),
  /** Of its sources or image: another digest is another version. */
  targetDigest: z.string(),
  /** The kind of world, with its machines if they are not the usual ones. */
  world: z.string(),
  /** Of the instance catalogue with its prices. */
  catalogueDigest: z.string(),
});
/** The properties that all episodes of a file share. */
export type StateVersion = Readonly<z.infer<typeof versionSchema>>;

const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  formatNumber: z.number().int(),
  version: versionSchema,
});

const count = z.number().int().nonnegative();
const amount = z.number().nonnegative();

const episodeSchema = z.strictObject({
  scenario: z.string(),
  seed: z.number().int(),
  replay: z.string(),
  verdict: verdictSchema,
  violations: z.array(z.strictObject({ check: z.string(), code: z.string(), object: z.string(), message: z.string() })),
  success: z.strictObject({ served: count, asked: count }),
  instances: z.strictObject({ created: count, leaked: count }),
  latencies: z.array(z.strictObject({ phase: z.string(), valuesMs: z.array(amount), censoredMs: z.array(amount) })),
  usd: amount,
  requests: count.optional(),
  failedLaunches: count,
  utilisation: z.strictObject({ cpu: amount, memory: amount }).optional(),
}) satisfies z.ZodType<Episode>;

const entrySchema = z.strictObject({ scenarioDigest: z.string(), episode: episodeSchema });

/** An episode, with the version of its scenario. */
export interface StateEntry {
  readonly scenarioDigest: string;
  readonly episode: Episode;
}

export interface State {
  readonly version: StateVersion;
  readonly entries: readonly StateEntry[];
  /** Length of the complete lines; the rest is truncated. */
  readonly wholeBytes: number;
}

/** The first line of a file, with its line feed. */
export function formatHeader(version: StateVersion): string {
  return `${JSON.stringify({ format: FORMAT, formatNumber: FORMAT_NUMBER, version })}\n`;
}

/** One other line, with its line feed. */
export function formatEntry({ scenarioDigest, episode }: StateEntry): string {
  return `${JSON.stringify({ scenarioDigest, episode })}\n`;
}

/**
 * Parses a file's text. A last line without a line feed was truncated, and is ignored.
 * @param where the file, for errors
 * @returns undefined if not even the first line is complete
 * @throws StateError that names file, line and field
 */
export function parseState(source: Buffer, where: string): State | undefined {
  const { lines: all, wholeBytes } = wholeLines(source);
  const [first, ...lines] = all;
  if (first === undefined) return undefined;
  const header = parseLine(headerSchema, first, `${where}, line 1`, (value) => {
    const { format, formatNumber } = (value ?? {}) as { format?: unknown; formatNumber?: unknown };
    if (format !== FORMAT) return `is not a file of a gate's episodes`;
    if (formatNumber !== FORMAT_NUMBER) return `has format number ${String(formatNumber)}, and this version reads ${FORMAT_NUMBER}`;
    return undefined;
  });
  if (lines.length > MAX_STATE_EPISODES) throw new StateError(`${where} has more than ${MAX_STATE_EPISODES} episodes; ${OTHER_DIRECTORY}`);
  const entries = lines.map((line, index) => parseLine(entrySchema, line, `${where}, line ${index + 2}`));
  // Stored entries follow the same rules: somebody may have concatenated two files.
  const { added } = mergeEntries([], entries, where);
  return { version: header.version, entries: added, wholeBytes };
}

const OTHER_DIRECTORY = 'name another --state directory, or remove the file';

function parseLine<T>(schema: z.ZodType<T>, line: string, where: string, complain?: (value: unknown) => string | undefined): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new StateError(`${where} is not JSON, so the file is damaged; ${OTHER_DIRECTORY}`);
  }
  const complaint = complain?.(value);
  if (complaint !== undefined) throw new StateError(`${where} ${complaint}; ${OTHER_DIRECTORY}`);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new StateError(`${where}: ${path === '' ? 'it' : path} is not valid (${issue?.message ?? ''}); ${OTHER_DIRECTORY}`);
}

/**
 * The new ones among the additions: the first episode for each scenario and seed.
 * @throws StateError if a scenario has changed
 */
export function mergeEntries(
  known: readonly StateEntry[],
  additions: readonly StateEntry[],
  where: string,
): { readonly added: StateEntry[]; readonly repeated: number } {
  const digests = new Map(known.map(({ episode, scenarioDigest }) => [episode.scenario, scenarioDigest]));
  const keys = new Set(known.map(({ episode }) => keyOf(episode)));
  const added = additions.filter(({ episode, scenarioDigest }) => {
    const before = digests.get(episode.scenario);
    if (before !== undefined && before !== scenarioDigest)
      throw new StateError(
        `${where} has episodes of another version of scenario ${episode.scenario} (digest ${before}, now ${scenarioDigest}), ` +
          `and they must not be mixed; ${OTHER_DIRECTORY}`,
      );
    digests.set(episode.scenario, scenarioDigest);
    const isNew = !keys.has(keyOf(episode));
    keys.add(keyOf(episode));
    return isNew;
  });
  return { added, repeated: additions.length - added.length };
}

/** @throws StateError with the differences between the two */
export function checkVersion(kept: StateVersion, wanted: StateVersion, where: string): void {
  const names = { target: 'target', targetDigest: "target's digest", world: 'world', catalogueDigest: "instance catalogue's digest" };
  const differing = (Object.keys(names) as (keyof StateVersion)[]).filter((key) => kept[key] !== wanted[key]);
  if (differing.length === 0) return;
  const differences = differing.map((key) => `the ${names[key]} was ${kept[key]} and is ${wanted[key]}`).join(', ');
  throw new StateError(`${where} has episodes that must not be mixed with these: ${differences}; ${OTHER_DIRECTORY}`);
}

/** Most characters of a target's name in its file name. */
const MAX_NAME_LENGTH = 60;

/** The file of a version of a target. Its name does not depend on world and catalogue, so that mixing them is detected. */
export function stateFile(directory: string, { target, targetDigest }: StateVersion): string {
  const name = target.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '');
  const digest = createHash('sha256').update(`${target}\n${targetDigest}`).digest('hex').slice(0, 12);
  return join(directory, `${name.slice(0, MAX_NAME_LENGTH)}-${digest}.episodes.jsonl`);
}

/**
 * The episodes of a version in a directory; none if it has no file for it.
 * @throws StateError if they can't be read, or have another world, catalogue or format
 */
export function readState(directory: string, version: StateVersion): readonly StateEntry[] {
  return load(stateFile(directory, version), version)?.entries ?? [];
}

function load(path: string, version: StateVersion): State | undefined {
  const size = onDisk(path, 'read', () => statSync(path, { throwIfNoEntry: false })?.size);
  if (size === undefined) return undefined;
  if (size > MAX_STATE_BYTES) throw new StateError(`${path} has ${size} bytes, more than ${MAX_STATE_BYTES}; ${OTHER_DIRECTORY}`);
  const source = onDisk(path, 'read', () => readFileSync(path));
  const state = parseState(source, path);
  if (state !== undefined) checkVersion(state.version, version, path);
  return state;
}

/**
 * Adds episodes to those of a version, and creates directory and file if needed. They are on disk when it returns.
 * @returns how many were new, and how many existed already
 * @throws StateError if they must not be mixed with the existing ones, would be too many, or the disk is full
 */
export function appendState(directory: string, version: StateVersion, entries: readonly StateEntry[]): { added: number; repeated: number } {
  const path = stateFile(directory, version);
  const state = load(path, version);
  const { added, repeated } = mergeEntries(state?.entries ?? [], entries, path);
  if (added.length === 0) return { added: 0, repeated };
  const text = (state === undefined ? formatHeader(version) : '') + added.map(formatEntry).join('');
  const wholeBytes = state?.wholeBytes ?? 0;
  if ((state?.entries.length ?? 0) + added.length > MAX_STATE_EPISODES || wholeBytes + Buffer.byteLength(text) > MAX_STATE_BYTES)
    throw new StateError(`${path} is full: more than ${MAX_STATE_EPISODES} episodes or ${MAX_STATE_BYTES} bytes; ${OTHER_DIRECTORY}`);
  onDisk(path, 'written', () => {
    mkdirSync(directory, { recursive: true });
    appendDurably(path, wholeBytes, text);
  });
  return { added: added.length, repeated };
}

/** @throws StateError with the system's error for the file */
function onDisk<T>(path: string, what: 'read' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StateError(`${path} can't be ${what}: ${error instanceof Error ? error.message : String(error)}; ${OTHER_DIRECTORY}`);
  }
}

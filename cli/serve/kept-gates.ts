import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { appendDurably, wholeLines } from '../../gate/append.ts';
import { gateDecisionSchema, gateVerdictSchema } from '../../gate/verdict.ts';
import { lockDirectory } from '../directory-lock.ts';
import { ownVersion } from '../own-version.ts';
import { UsageError } from '../usage-error.ts';
import { MAX_ENDED, MAX_WAITING, interrupted } from './jobs.ts';
import type { GateJob } from './jobs.ts';

/**
 * The gates of a server, stored so that its successor gives the same answers. Each JSON line is the state of a gate at a time; the
 * last line of a gate counts. Lines are appended; a truncated line is dropped. Another version of Scaleproof may judge differently,
 * so it has its own file.
 */

/** Most gates that a server has: finished, waiting, and the running one. */
const MAX_GATES = MAX_ENDED + MAX_WAITING + 1;
/** With more lines, the file is rewritten with the gates that still count. */
export const MAX_LINES = 500;
/** A gate with its decision is about 10 kB. */
const MAX_BYTES = 64 * 1_024 * 1_024;

const text = z.string().min(1);
const timeMs = z.number().nonnegative();

const lineSchema = z.strictObject({
  id: text,
  /** Digest of everything that the result depends on, besides the targets. */
  settings: text,
  key: text.exactOptional(),
  baseline: text,
  candidate: text,
  baselineVersion: text.exactOptional(),
  candidateVersion: text.exactOptional(),
  status: z.enum(['waiting', 'running', 'done']),
  askedMs: timeMs,
  begunMs: timeMs.exactOptional(),
  endedMs: timeMs.exactOptional(),
  result: z
    .strictObject({
      verdict: gateVerdictSchema,
      reason: z.string(),
      decision: gateDecisionSchema.exactOptional(),
      notes: z.array(z.string()).readonly().exactOptional(),
    })
    .exactOptional(),
}) satisfies z.ZodType<GateJob & { readonly settings: string }>;

/** The gates stored in a directory. */
export interface KeptGates {
  /** As in the file, oldest first. Unfinished ones were interrupted, since their server is gone. */
  readonly before: readonly GateJob[];
  /** Stores the current state of a gate. It is on disk when this returns. @throws errors of the file system */
  keep(job: GateJob): void;
  /** Releases the lock of the directory. */
  close(): void;
}

/**
 * Opens the gates stored in a directory, and creates the directory if needed. This server holds its lock until it is closed.
 * @param settings digest of everything that a result depends on, besides the targets: gates with other settings are forgotten, since
 *   they answered another question
 * @throws UsageError when the gates can't be read, or another server uses the directory
 */
export function openKeptGates(directory: string, settings: string): KeptGates {
  const path = join(directory, `gates-${ownVersion()}.jsonl`);
  const close = lockOrRefuse(directory);
  let read: ReturnType<typeof readLines>;
  try {
    read = orRefuse(path, () => readLines(path));
  } catch (error) {
    close();
    throw error;
  }
  const asked = read.gates.filter((gate) => gate.settings === settings);
  const gates = new Map(asked.map(({ settings: _, ...job }): [string, GateJob] => [job.id, job]));
  const before = [...gates.values()].map((job) => (job.status === 'done' ? job : interrupted(job)));
  let { lines, wholeBytes } = read;
  const formatLine = ({ byKeyOnly: _, ...job }: GateJob): string =>
    `${JSON.stringify({ ...job, settings } satisfies z.infer<typeof lineSchema>)}\n`;
  return {
    before,
    close,
    keep: (job) => {
      gates.set(job.id, job);
      for (const id of [...gates.keys()].slice(0, -MAX_GATES)) gates.delete(id);
      const line = formatLine(job);
      const isFull = lines >= MAX_LINES || wholeBytes + Buffer.byteLength(line) > MAX_BYTES;
      const added = isFull ? fitting([...gates.values()].map(formatLine)) : [line];
      if (isFull) replaceFile(path, added.join(''));
      else appendDurably(path, wholeBytes, line);
      lines = isFull ? added.length : lines + 1;
      wholeBytes = (isFull ? 0 : wholeBytes) + Buffer.byteLength(added.join(''));
    },
  };
}

/** The newest lines that fit into half of the limit. */
function fitting(lines: readonly string[]): string[] {
  let bytes = 0;
  return lines
    .toReversed()
    .filter((line) => (bytes += Buffer.byteLength(line)) <= MAX_BYTES / 2)
    .toReversed();
}

/** Replaces the file atomically, even if this process is killed. */
function replaceFile(path: string, content: string): void {
  const fresh = `${path}.new`;
  const file = openSync(fresh, 'w');
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}

/** A last line without a line feed was truncated, and is ignored. */
function readLines(path: string): {
  readonly gates: readonly z.infer<typeof lineSchema>[];
  readonly lines: number;
  readonly wholeBytes: number;
} {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`);
  const source = size === 0 ? Buffer.alloc(0) : readFileSync(path);
  const { lines, wholeBytes } = wholeLines(source);
  return { gates: lines.map(parseLine), lines: lines.length, wholeBytes };
}

function parseLine(line: string, index: number): z.infer<typeof lineSchema> {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    throw new Error(`line ${index + 1} is not a gate: it is damaged, or was written by another version`);
  }
}

function lockOrRefuse(directory: string): () => void {
  try {
    return lockDirectory(directory, 'only one server can use a --state directory');
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`--state: ${error.message}`) : error;
  }
}

function orRefuse<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--state: ${path} can't be used: ${why}; name another directory, or remove the file`);
  }
}

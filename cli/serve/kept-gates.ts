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
 * The gates of a server, kept so that the next one in its place answers as it did: JSON lines, each a gate as it was then, the last
 * one of a gate counts. Lines are appended; what was cut off is dropped. Another version of Scaleproof may judge otherwise, and has
 * a file of its own.
 */

/** As many as a server knows of: those that ended, those that wait, and the one that runs. */
const MAX_GATES = MAX_ENDED + MAX_WAITING + 1;
/** Then the file is written anew, with the gates that still count. */
export const MAX_LINES = 500;
/** A gate with its decision is some 10 KB. */
const MAX_BYTES = 64 * 1_024 * 1_024;

const text = z.string().min(1);
const timeMs = z.number().nonnegative();

const lineSchema = z.strictObject({
  id: text,
  /** Digest of all that decides what a question comes to, besides the targets. */
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

/** The gates that a directory keeps. */
export interface KeptGates {
  /** As the file had them, oldest first. Those that had not ended were interrupted: who kept them is no more. */
  readonly before: readonly GateJob[];
  /** Keeps a gate as it is now. It is on the disk when this returns. @throws what the file system says */
  keep(job: GateJob): void;
  /** Gives the directory back. */
  close(): void;
}

/**
 * Opens the gates that a directory keeps, and makes the directory if need be. It is this server's until it is closed.
 * @param settings digest of all that decides what a question comes to, besides the targets: gates that were asked with others are
 *   forgotten, since what they answered was something else
 * @throws UsageError when they can't be read, or another server has them
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
      if (isFull) writeAnew(path, added.join(''));
      else appendDurably(path, wholeBytes, line);
      lines = isFull ? added.length : lines + 1;
      wholeBytes = (isFull ? 0 : wholeBytes) + Buffer.byteLength(added.join(''));
    },
  };
}

/** The newest lines, with as much room left as they take. */
function fitting(lines: readonly string[]): string[] {
  let bytes = 0;
  return lines
    .toReversed()
    .filter((line) => (bytes += Buffer.byteLength(line)) <= MAX_BYTES / 2)
    .toReversed();
}

/** Whole or not at all, whatever kills this process. */
function writeAnew(path: string, content: string): void {
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

/** A last line without its line feed was cut off, and does not count. */
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
    throw new Error(`line ${index + 1} is no gate: it is damaged, or of another version`);
  }
}

function lockOrRefuse(directory: string): () => void {
  try {
    return lockDirectory(directory, 'a server has its --state directory for itself');
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

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { appendDurably, wholeLines } from '../../gate/append.ts';
import { lockDirectory } from '../directory-lock.ts';
import { UsageError } from '../usage-error.ts';

/**
 * What a canary did, line by line. Each line is on disk before the next step starts, so that a canary that follows a killed one knows
 * how far it got. A step that was started and not finished is repeated. Lines are only appended; a truncated last line is dropped.
 */

const index = z.int().nonnegative();
const at = z.string();
const names = z.array(z.string());
const lineSchema = z.discriminatedUnion('what', [
  /** `source`: the plan at that time. Rolling back uses it, even if the file has changed since. */
  z.strictObject({ what: z.literal('begun'), format: z.literal(1), plan: z.string(), digest: z.string(), source: z.string(), at }),
  /** These are about to get the candidate. */
  z.strictObject({ what: z.literal('deploying'), stage: index, places: names, at }),
  /** All places of the stage have it. */
  z.strictObject({ what: z.literal('deployed'), stage: index, at }),
  z.strictObject({ what: z.literal('probed'), stage: index, nextSeed: index, directory: z.string(), begunAt: at, at }),
  z.strictObject({ what: z.literal('advanced'), stage: index, at }),
  /** Because of the rules, or on request. */
  z.strictObject({ what: z.literal('rolling-back'), stage: index, why: z.string(), at }),
  z.strictObject({ what: z.literal('undone'), places: names, at }),
  z.strictObject({ what: z.literal('ended'), how: z.enum(['rolled-out', 'rolled-back']), at }),
]);
export type JournalLine = Readonly<z.infer<typeof lineSchema>>;

/** One batch that finished. */
export interface ProbedBatch {
  readonly stage: number;
  /** Inside the journal's directory. */
  readonly directory: string;
  /** In milliseconds since 1970. */
  readonly begunAtMs: number;
}

/** How far a canary got. */
export interface CanaryProgress {
  /** Of the plan that it follows, and its text. */
  readonly digest: string;
  readonly source: string;
  /** The stage that it is in. */
  readonly stage: number;
  /** Places that have, or may have, the candidate. */
  readonly places: readonly string[];
  /** When all places of the stage were known to have it, in milliseconds since 1970. */
  readonly deployedAtMs: number | undefined;
  /** Of all stages, in order. */
  readonly batches: readonly ProbedBatch[];
  readonly nextSeed: number | undefined;
  /** Why it is being rolled back, which is final. */
  readonly rollingBack: string | undefined;
  readonly ended: 'rolled-out' | 'rolled-back' | undefined;
}

/** Whether the canary must be resumed or rolled back: a place has or may have the candidate, or the rollback has not been closed. */
export function isUnderWay(progress: CanaryProgress | undefined): progress is CanaryProgress {
  return progress !== undefined && progress.ended === undefined && (progress.places.length > 0 || progress.rollingBack !== undefined);
}

const FRESH: Omit<CanaryProgress, 'digest' | 'source'> = {
  stage: 0,
  places: [],
  deployedAtMs: undefined,
  batches: [],
  nextSeed: undefined,
  rollingBack: undefined,
  ended: undefined,
};

/** The state after all lines since the last start; undefined if it was never started. */
export function progressOf(lines: readonly JournalLine[]): CanaryProgress | undefined {
  return lines.reduce<CanaryProgress | undefined>((progress, line) => {
    if (line.what === 'begun') return { ...FRESH, digest: line.digest, source: line.source };
    return progress === undefined ? undefined : advance(progress, line);
  }, undefined);
}

function advance(progress: CanaryProgress, line: Exclude<JournalLine, { what: 'begun' }>): CanaryProgress {
  switch (line.what) {
    case 'deploying':
      return { ...progress, stage: line.stage, places: [...new Set([...progress.places, ...line.places])], deployedAtMs: undefined };
    case 'deployed':
      return { ...progress, stage: line.stage, deployedAtMs: Date.parse(line.at) };
    case 'probed': {
      const batch = { stage: line.stage, directory: line.directory, begunAtMs: Date.parse(line.begunAt) };
      return { ...progress, nextSeed: line.nextSeed, batches: [...progress.batches, batch] };
    }
    case 'advanced':
      return { ...progress, stage: line.stage + 1, deployedAtMs: undefined };
    case 'rolling-back':
      return { ...progress, rollingBack: line.why };
    case 'undone':
      return { ...progress, places: progress.places.filter((name) => !line.places.includes(name)) };
    case 'ended':
      return { ...progress, ended: line.how };
  }
}

const NAME = 'journal.jsonl';

/** The journal of one directory. This process holds its lock until it is closed. */
export interface Journal {
  readonly lines: readonly JournalLine[];
  append(line: JournalLine): void;
  close(): void;
}

/**
 * Opens the journal of a directory, and creates the directory.
 * @throws UsageError when another process holds it, or it can't be read
 */
export function openJournal(directory: string): Journal {
  const unlock = lockDirectory(directory, 'only one canary can run there at a time');
  const path = join(directory, NAME);
  try {
    const source = readJournal(path);
    let { wholeBytes } = wholeLines(source);
    const lines = parseJournal(source, path);
    return {
      get lines() {
        return lines;
      },
      append: (line) => {
        const text = `${JSON.stringify(line)}\n`;
        appendDurably(path, wholeBytes, text);
        wholeBytes += Buffer.byteLength(text);
        lines.push(line);
      },
      close: unlock,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function readJournal(path: string): Buffer {
  try {
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  } catch (error) {
    throw new UsageError(`the journal ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A last line without a line feed was truncated, and is ignored. @throws UsageError */
export function parseJournal(source: Buffer, path: string): JournalLine[] {
  return wholeLines(source).lines.map((line, number) => {
    try {
      return lineSchema.parse(JSON.parse(line));
    } catch {
      throw new UsageError(
        `${path}, line ${number + 1}, is not a valid line of a canary's journal: it is damaged, or was written by another version`,
      );
    }
  });
}

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { appendDurably } from '../../gate/append.ts';
import { UsageError } from '../usage-error.ts';

/**
 * What a canary did, line by line, each on the disk before the next step begins: whoever comes after a killed one knows how far
 * it came. What was begun and not ended is done again. Lines are only ever appended; one that was cut off is dropped.
 */

const index = z.int().nonnegative();
const at = z.string();
const names = z.array(z.string());
const lineSchema = z.discriminatedUnion('what', [
  /** `source`: the plan as it was then, by which it is undone, whatever became of the file. */
  z.strictObject({ what: z.literal('begun'), format: z.literal(1), plan: z.string(), digest: z.string(), source: z.string(), at }),
  /** These are about to get the candidate. */
  z.strictObject({ what: z.literal('deploying'), stage: index, places: names, at }),
  /** All of the stage have it. */
  z.strictObject({ what: z.literal('deployed'), stage: index, at }),
  z.strictObject({ what: z.literal('probed'), stage: index, nextSeed: index, directory: z.string(), begunAt: at, at }),
  z.strictObject({ what: z.literal('advanced'), stage: index, at }),
  /** By the rules, or because somebody asked for it. */
  z.strictObject({ what: z.literal('rolling-back'), stage: index, why: z.string(), at }),
  z.strictObject({ what: z.literal('undone'), places: names, at }),
  z.strictObject({ what: z.literal('ended'), how: z.enum(['rolled-out', 'rolled-back']), at }),
]);
export type JournalLine = Readonly<z.infer<typeof lineSchema>>;

/** One batch that was probed to its end. */
export interface ProbedBatch {
  readonly stage: number;
  /** Within that of the journal. */
  readonly directory: string;
  /** In milliseconds since 1970. */
  readonly begunAtMs: number;
}

/** How far a canary came. */
export interface CanaryProgress {
  /** Of the plan that it follows, and its text. */
  readonly digest: string;
  readonly source: string;
  /** The stage that it is in. */
  readonly stage: number;
  /** What has, or may have, the candidate. */
  readonly places: readonly string[];
  /** Since when all of the stage surely have it, in milliseconds since 1970. */
  readonly deployedAtMs: number | undefined;
  /** Of all stages, in order. */
  readonly batches: readonly ProbedBatch[];
  readonly nextSeed: number | undefined;
  /** It is being rolled back, and why: it never goes on from there. */
  readonly rollingBack: string | undefined;
  readonly ended: 'rolled-out' | 'rolled-back' | undefined;
}

/** Whether something has the candidate, or may have it, or had it and only the end is left to write: it is to go on, or to be undone. */
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

/** What the lines come to since it last began; undefined if it never did. */
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
const LOCK = 'lock';

/** The journal of one directory, which is this process's until it is closed. */
export interface Journal {
  readonly lines: readonly JournalLine[];
  append(line: JournalLine): void;
  close(): void;
}

/**
 * Opens the journal of a directory, and makes the directory.
 * @throws UsageError where another process has it, or it can't be read
 */
export function openJournal(directory: string): Journal {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, NAME);
  const unlock = lock(directory);
  try {
    const source = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    let wholeBytes = source.lastIndexOf('\n') + 1;
    const lines = parseJournal(source.toString('utf8'), path);
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

/** A last line without its line feed was cut off, and does not count. @throws UsageError */
export function parseJournal(source: string, path: string): JournalLine[] {
  return source
    .split('\n')
    .slice(0, -1)
    .map((line, number) => {
      try {
        return lineSchema.parse(JSON.parse(line));
      } catch {
        throw new UsageError(`${path}, line ${number + 1}, is no line of a canary's journal: it is damaged, or of another version`);
      }
    });
}

/** @returns what gives it back */
function lock(directory: string): () => void {
  const path = join(directory, LOCK);
  for (const isSecond of [false, true]) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(readFileSync(path, 'utf8'));
    if (isSecond || isOther(owner))
      throw new UsageError(
        `${directory} is in use by process ${owner}: a canary is one at a time; if that process is something else, remove ${path}`,
      );
    // Its owner was killed.
    rmSync(path, { force: true });
  }
  throw new UsageError(`${path} can't be had`);
}

/** Whether a process of that number runs, and is not this one: in a container each start may have the same number. */
function isOther(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

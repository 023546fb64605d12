import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';

/**
 * What a canary did, line by line, each on the disk before the next step begins: whoever comes after a killed one knows how far
 * it came. What was begun and not ended is done again.
 */

const index = z.int().nonnegative();
const lineSchema = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('begun'), format: z.literal(1), plan: z.string(), digest: z.string(), at: z.string() }),
  /** The candidate is about to get the share of this stage. */
  z.strictObject({ what: z.literal('deploying'), stage: index, places: z.array(z.string()), at: z.string() }),
  z.strictObject({ what: z.literal('deployed'), stage: index, at: z.string() }),
  z.strictObject({ what: z.literal('probed'), stage: index, batch: index, nextSeed: index, directory: z.string(), at: z.string() }),
  z.strictObject({ what: z.literal('advanced'), stage: index, at: z.string() }),
  /** By the rules, or because somebody asked for it. */
  z.strictObject({ what: z.literal('rolling-back'), stage: index, why: z.string(), at: z.string() }),
  z.strictObject({ what: z.literal('ended'), how: z.enum(['rolled-out', 'rolled-back']), at: z.string() }),
]);
export type JournalLine = Readonly<z.infer<typeof lineSchema>>;

/** How far a canary came. */
export interface CanaryProgress {
  /** Of the plan that it follows. */
  readonly digest: string;
  /** The stage that it is in. */
  readonly stage: number;
  /** Whether the candidate has, or may have, a share; and since when, in milliseconds since 1970, it surely has that of this stage. */
  readonly isDeployed: boolean;
  readonly deployedAtMs: number | undefined;
  /** Of all stages, in order. */
  readonly batches: readonly { readonly stage: number; readonly directory: string }[];
  readonly nextSeed: number | undefined;
  /** It is being rolled back, and why: it never goes on from there. */
  readonly rollingBack: string | undefined;
  readonly ended: 'rolled-out' | 'rolled-back' | undefined;
}

/** What the lines come to since it last began; undefined if it never did. */
export function progressOf(lines: readonly JournalLine[]): CanaryProgress | undefined {
  return lines.reduce<CanaryProgress | undefined>((progress, line) => {
    if (line.what === 'begun') return { ...FRESH, digest: line.digest };
    return progress === undefined ? undefined : advance(progress, line);
  }, undefined);
}

const FRESH: Omit<CanaryProgress, 'digest'> = {
  stage: 0,
  isDeployed: false,
  deployedAtMs: undefined,
  batches: [],
  nextSeed: undefined,
  rollingBack: undefined,
  ended: undefined,
};

function advance(progress: CanaryProgress, line: Exclude<JournalLine, { what: 'begun' }>): CanaryProgress {
  switch (line.what) {
    case 'deploying':
      return { ...progress, stage: line.stage, isDeployed: true, deployedAtMs: undefined };
    case 'deployed':
      return { ...progress, deployedAtMs: Date.parse(line.at) };
    case 'probed':
      return {
        ...progress,
        nextSeed: line.nextSeed,
        batches: [...progress.batches, { stage: line.stage, directory: line.directory }],
      };
    case 'advanced':
      return { ...progress, stage: line.stage + 1, deployedAtMs: undefined };
    case 'rolling-back':
      return { ...progress, rollingBack: line.why };
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
  lock(directory);
  try {
    const lines = existsSync(path) ? parseJournal(readFileSync(path, 'utf8'), path) : [];
    // What a crash cut off must not be in the middle of what follows.
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return {
      get lines() {
        return lines;
      },
      append: (line) => {
        const file = openSync(path, 'a');
        try {
          appendFileSync(file, `${JSON.stringify(line)}\n`);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        lines.push(line);
      },
      close: () => rmSync(join(directory, LOCK), { force: true }),
    };
  } catch (error) {
    rmSync(join(directory, LOCK), { force: true });
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

function lock(directory: string): void {
  const path = join(directory, LOCK);
  for (const isSecond of [false, true]) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(readFileSync(path, 'utf8'));
    if (isSecond || isRunning(owner)) throw new UsageError(`${directory} is in use by process ${owner}: a canary is one at a time`);
    // Its owner was killed.
    rmSync(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

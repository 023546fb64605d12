import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { LastWords } from '../../targets/command/lines.ts';
import { startProgram } from '../../targets/command/program.ts';
import { substitute } from '../../targets/command/variables.ts';

/** From asking a program to stop until it is killed. */
const END_GRACE_MS = 5_000;
/** The exit code of a keeper whose program could not be started. */
const NOT_STARTED = 127;
/** Exit codes above this may stand for a signal. */
const SIGNALLED = 128;

const MAX_SIGNAL = 64;

/** How a program ended. */
export interface ProgramEnd {
  /** Its exit code, or 128 and the signal's number after a signal; undefined if it was stopped. */
  readonly code: number | undefined;
  /** The program is not on PATH. */
  readonly isMissing: boolean;
  /** It did not finish within its limit, and was stopped. */
  readonly isLate: boolean;
  /** The last lines of its output. */
  readonly lastWords: string;
}

/**
 * Runs a program of the plan: `${NAME}` stands for a value, which its environment has as SCALEPROOF_NAME, too. Nothing outlives it or
 * this process: when it exits, or this process is killed, all that still runs in its process group is killed.
 * @param options.limitMs the most that it may take
 * @param options.signal stops it
 * @returns how it ended, and the command line
 * @throws the signal's reason when it is aborted
 */
export async function runProgram(
  command: readonly string[],
  values: Readonly<Record<string, string>>,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<{ readonly end: ProgramEnd; readonly line: string }> {
  signal.throwIfAborted();
  const line = command.map((text) => substitute(text, values));
  const [program = ''] = line;
  const own = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const added = Object.entries(values).map(([name, value]) => [`SCALEPROOF_${name}`, value] as const);
  const clock = createRealTimeline().scope('canary program');
  const order = {
    command: line,
    directory: process.cwd(),
    environment: Object.fromEntries([...own, ...added]),
    folder: await mkdtemp(join(tmpdir(), 'scaleproof-canary-')),
  };
  const said = new LastWords();
  const running = startProgram(order, clock, (text) => said.hear(text));
  const done = new AbortController();
  const late = clock.sleep(limitMs, AbortSignal.any([signal, done.signal])).then(
    () => 'late' as const,
    () => 'stopped' as const,
  );
  try {
    const first = await Promise.race([running.ended, late]);
    if (typeof first === 'string') {
      running.stop();
      await Promise.race([running.ended, clock.sleep(END_GRACE_MS)]);
    }
    await running.kill();
    signal.throwIfAborted();
    const lastWords = said.text();
    const isMissing = first === NOT_STARTED && lastWords.includes(`spawn ${program} ENOENT`);
    const code = typeof first === 'string' ? undefined : first;
    return { end: { code, isMissing, isLate: first === 'late', lastWords }, line: line.join(' ') };
  } finally {
    done.abort(new Error('the program has ended'));
    await rm(order.folder, { recursive: true, force: true });
  }
}

/** How a failed program ended, with the end of its output. */
export function describeEnd({ code, isMissing, isLate, lastWords }: ProgramEnd, limitMs: number): string {
  if (isMissing) return 'there is no such program';
  const how = isLate
    ? `it did not finish within ${limitMs / 1_000} s`
    : code === undefined
      ? 'it was stopped'
      : code > SIGNALLED && code <= SIGNALLED + MAX_SIGNAL
        ? `exit code ${code}, or signal ${code - SIGNALLED}`
        : `exit code ${code}`;
  return lastWords === '' ? how : `${how}; its output: ${lastWords}`;
}

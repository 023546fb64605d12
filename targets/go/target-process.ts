import { LastWords, LineSplitter, levelOf } from '../command/lines.ts';
import { ProgramError } from '../target.ts';
import type { TargetProcess, TargetSite } from '../target.ts';
import { GoProgram } from './host/instance.ts';
import type { GoProgramSite } from './host/instance.ts';

/** A Go program as a target's process, in a trial's time. */
export interface GoTargetSpec extends Pick<GoProgramSite, 'program' | 'command' | 'environment' | 'files' | 'wireTo'> {
  /** It is ready when a line that it writes holds this text. */
  readonly readyWhenSaid: string;
}

/**
 * Starts one incarnation of a Go program. Its lines are its log. A stop ends it at once: GOOS=js has no signals.
 * @throws ProgramError when its arguments and environment are too long
 */
export function startGoTarget({ readyWhenSaid, ...spec }: GoTargetSpec, { runtime }: TargetSite): TargetProcess {
  const { clock, random, log, signal } = runtime;
  const words = new LastWords();
  const ready = Promise.withResolvers<void>();
  const hear = (line: string): void => {
    words.hear(line);
    log(levelOf(line), line);
    if (line.includes(readyWhenSaid)) ready.resolve();
  };
  const outputs = [new Output(hear), new Output(hear)] as const;
  const program = new GoProgram({
    ...spec,
    clock,
    random,
    onOutput: (descriptor, bytes) => outputs[descriptor === 1 ? 0 : 1].push(bytes),
  });
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      program.kill();
      resolve();
    });
  });
  const exited = program.exited.then((code) => {
    for (const output of outputs) output.end();
    throw new ProgramError(`it exited with code ${code}; the last that it said: ${words.text()}`);
  });
  const begun = clock.sleep(0).then(() => {
    program.start();
    return stopped;
  });
  return { ready: ready.promise, done: Promise.race([exited, begun]), kill: () => program.kill() };
}

/** One of its outputs, cut into lines. */
class Output {
  readonly #decoder = new TextDecoder();
  readonly #lines: LineSplitter;

  constructor(onLine: (line: string) => void) {
    this.#lines = new LineSplitter(onLine);
  }

  push(bytes: Uint8Array): void {
    this.#lines.push(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    this.#lines.end();
  }
}

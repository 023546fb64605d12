import { LastWords, LineSplitter, levelOf } from '../command/lines.ts';
import type { ProbeSite } from '../command/ready.ts';
import { defined } from '../../model/defined.ts';
import { ProgramError } from '../target.ts';
import type { TargetProcess, TargetSite } from '../target.ts';
import type { Artefact } from './artefacts/cache.ts';
import { GoProgram } from './host/instance.ts';
import { heapMiBIn } from './heap.ts';
import type { GoProgramSite } from './host/instance.ts';
import { compiledProgram, imageOf } from './programs.ts';

/** A Go program as a target's process, in virtual time. */
export interface GoTargetSpec extends Pick<GoProgramSite, 'command' | 'environment' | 'files' | 'wireTo'> {
  readonly artefact: Artefact;
  /** Resolves when it passes its readiness probe. */
  readonly ready: (probe: ProbeSite) => Promise<void>;
  /**
   * Resolves when it waits for its lease; absent if it elects no leader. One that does starts without an image: its identity is drawn
   * before its first request, so all that start from one image would have the same.
   */
  readonly standby?: (probe: ProbeSite) => Promise<void>;
  /** Where it serves Prometheus metrics of Go's runtime; absent if it doesn't. */
  readonly metrics?: string | undefined;
}

/**
 * Starts one incarnation of a Go program. Its output is its log. It is stopped by SIGTERM, like a container by a kubelet.
 * @throws ProgramError when its arguments and environment are too long
 */
export function startGoTarget({ ready, standby, artefact, metrics, ...spec }: GoTargetSpec, { runtime }: TargetSite): TargetProcess {
  const { clock, random, log, signal } = runtime;
  const words = new LastWords();
  const listeners = new Set<(line: string) => void>();
  const hear = (line: string): void => {
    words.hear(line);
    log(levelOf(line), line);
    for (const listener of listeners) listener(line);
  };
  const said = (text: string): Promise<void> =>
    new Promise((resolve) => {
      listeners.add((line) => {
        if (line.includes(text)) resolve();
      });
    });
  const outputs = [new Output(hear), new Output(hear)] as const;
  const compiled = compiledProgram(artefact);
  const source = { ...spec, module: compiled.module };
  const program = new GoProgram({
    ...source,
    image: standby === undefined ? imageOf(artefact, source) : undefined,
    clock,
    random,
    onOutput: (descriptor, bytes) => outputs[descriptor === 1 ? 0 : 1].push(bytes),
    onEnd: (entry) => compiled.runOver(entry),
  });
  const ended = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => {
    if (program.terminate()) return;
    program.kill();
    ended.resolve();
  });
  program.exited.then(
    (code) => {
      for (const output of outputs) output.end();
      if (signal.aborted) ended.resolve();
      else ended.reject(new ProgramError(`it exited with code ${code}; its last output: ${words.text()}`));
    },
    (error: unknown) => ended.reject(error),
  );
  clock
    .sleep(0)
    .then(() => program.start())
    .catch((error: unknown) => ended.reject(error));
  const probe: ProbeSite = { clock, said, statusOf: async (url) => (program.hasServer ? (await program.get(url)).status : 0) };
  const isReady = ready(probe);
  const waits = standby?.(probe);
  // The caller only watches these as long as they matter.
  for (const watched of [isReady, waits]) watched?.catch(() => undefined);
  const heapMiB = async (url: string): Promise<number | undefined> =>
    program.hasServer ? heapMiBIn((await program.get(url)).body) : undefined;
  return {
    ready: isReady,
    ...defined({ standby: waits }),
    done: ended.promise,
    kill: () => program.kill(),
    covered: () => program.covered(),
    usage: () => program.usage(),
    ...defined({ heapMiB: metrics === undefined ? undefined : () => heapMiB(metrics) }),
  };
}

/** One of its outputs, split into lines. */
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

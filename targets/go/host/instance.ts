import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { ProcessUsage, ProgramError } from '../../target.ts';
import { fillerOf } from './chance.ts';
import { createFiles } from './files.ts';
import { createFetch } from './http.ts';
import type { FetchSite } from './http.ts';
import { CLOCK_START_MS } from './image.ts';
import type { ProgramImage } from './image.ts';
import { GoMachine } from './machine.ts';

/** SIGTERM in the numbering of GOOS=js. Source: `syscall` of Go's standard library (syscall_js.go). */
const TERMINATE = 6;

/** What a Go program runs with. */
export interface GoProgramSite {
  readonly module: WebAssembly.Module;
  /** The name under which it runs, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Contents by absolute path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** From the same module, command, environment and files; absent if none is possible. */
  readonly image?: ProgramImage | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly wireTo: FetchSite['wireTo'];
  /** Called with everything that it writes to standard output (1) and standard error (2). */
  readonly onOutput: (descriptor: number, bytes: Uint8Array) => void;
  /** Called when it is over. @param entry one of its functions */
  readonly onEnd?: (entry: unknown) => void;
}

/** The response of a server within the program. */
export interface InnerAnswer {
  /** 0 without a response. */
  readonly status: number;
  readonly body: string;
}

/** One run of a Go program, with the given clock, random source and wires. */
export class GoProgram {
  /** Resolves with its exit code; rejects with a ProgramError if it crashed below its own runtime. Never settles once it is killed. */
  readonly exited: Promise<number>;
  readonly #site: GoProgramSite;
  readonly #machine: GoMachine;
  readonly #files;
  readonly #wakeUps = new Map<number, AbortController>();
  #nextWakeUp = 1;

  constructor(site: GoProgramSite) {
    const { clock, random, files, onOutput, wireTo } = site;
    this.#site = site;
    const startedAtMs = clock.monotonicMs();
    const exit = Promise.withResolvers<number>();
    this.exited = exit.promise;
    this.exited.catch(() => undefined);
    this.#files = createFiles({ files, onOutput });
    this.#machine = new GoMachine({
      ...site,
      files: this.#files,
      fetch: createFetch({ clock, wireTo }),
      monotonicMs: () => clock.monotonicMs() - startedAtMs + CLOCK_START_MS,
      wallMs: () => clock.nowMs(),
      fillRandom: fillerOf(random.fork('go')),
      defer: (name, given) => this.#defer(name, given),
      wakeUpAfter: (delayMs) => {
        const id = this.#nextWakeUp;
        this.#nextWakeUp += 1;
        this.#wakeUpAfter(id, delayMs);
        return id;
      },
      cancelWakeUp: (id) => this.#cancelWakeUp(id),
      onExit: (code, entry) => {
        this.#cancelAll();
        queueMicrotask(() => site.onEnd?.(entry));
        exit.resolve(code);
      },
      onCrash: (error: ProgramError) => {
        this.#cancelAll();
        exit.reject(error);
      },
    });
  }

  /** Runs it until it is idle for the first time. @throws ProgramError if arguments and environment are too long */
  start(): void {
    const { image, onOutput } = this.#site;
    if (image === undefined) {
      this.#machine.start();
      return;
    }
    this.#machine.restore(image.machine);
    this.#files.restore(image.openFiles);
    this.#nextWakeUp = image.nextWakeUp;
    for (const { descriptor, bytes } of image.said) onOutput(descriptor, bytes);
    for (const { id, delayMs } of image.wakeUps) this.#wakeUpAfter(id, delayMs);
    const calls = image.calls.map(({ name, given }) => ({ name, given: given.map((value) => this.#machine.valueOf(value)) }));
    for (const { name, given } of calls) this.#defer(name, given);
    this.#machine.callHook('reseed');
  }

  /** Sends SIGTERM. @returns whether it handles it; otherwise the signal would end it, and it has to be killed */
  terminate(): boolean {
    return this.#machine.callHook('signal', TERMINATE) === true;
  }

  /** Sends a request to a server within the program, such as `http://127.0.0.1:8081/readyz`. Never settles once it is over. */
  get(url: string): Promise<InnerAnswer> {
    return new Promise((resolve) => {
      this.#machine.callHook('get', url, (status: number, body: string) => resolve({ status, body }));
    });
  }

  /** Whether `get` works: the program was built with the overlay, and has a server. */
  get hasServer(): boolean {
    return this.#machine.offers('get');
  }

  /** The blocks of its own code that it has run so far, also when it is over: none unless it was built to count them. */
  covered(): ReadonlySet<number> {
    return this.#machine.covered();
  }

  /** What it has used of the machine so far, also when it is over. */
  usage(): ProcessUsage {
    return this.#machine.usage();
  }

  /** Ends it as SIGKILL would: it never runs again, and its memory is released. */
  kill(): void {
    if (!this.#machine.isRunning) return;
    this.#site.onEnd?.(this.#machine.entry);
    this.#machine.end();
    this.#cancelAll();
  }

  #defer(name: string, given: readonly unknown[]): void {
    queueMicrotask(() => this.#machine.enter(() => this.#files.functions[name]?.(...given)));
  }

  #wakeUpAfter(id: number, delayMs: number): void {
    const cancel = new AbortController();
    this.#wakeUps.set(id, cancel);
    this.#site.clock.sleep(Math.max(0, delayMs), cancel.signal).then(
      () => {
        this.#wakeUps.delete(id);
        this.#machine.resume();
      },
      () => undefined,
    );
  }

  #cancelWakeUp(id: number): void {
    const wakeUp = this.#wakeUps.get(id);
    this.#wakeUps.delete(id);
    wakeUp?.abort(wakeUp);
  }

  #cancelAll(): void {
    for (const id of [...this.#wakeUps.keys()]) this.#cancelWakeUp(id);
  }
}

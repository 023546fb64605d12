import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { ProgramError } from '../../target.ts';
import { createFiles } from './files.ts';
import { createGlobals } from './globals.ts';
import { createFetch } from './http.ts';
import type { FetchSite } from './http.ts';
import { goImports } from './imports.ts';
import { GoMemory } from './memory.ts';
import type { CompiledProgram } from './module.ts';
import { ValueTable } from './values.ts';

const encoder = new TextEncoder();
/** Arguments and environment lie from here on, as Go's linker leaves room for them: 8 KiB. Source: cmd/link/internal/ld/data.go. */
const ARGUMENTS_START = 4_096;
const ARGUMENTS_END = 4_096 + 8_192;
/** Go takes a clock that reads 0 for a broken one. */
const CLOCK_START_MS = 1_000;

/** What a Go program runs with. */
export interface GoProgramSite {
  readonly program: Pick<CompiledProgram, 'module' | 'runOver'>;
  /** The name that it is run under, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Contents by absolute path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly clock: Clock;
  readonly random: Random;
  readonly wireTo: FetchSite['wireTo'];
  /** Told of everything that it writes to standard output (1) and standard error (2). */
  readonly onOutput: (descriptor: number, bytes: Uint8Array) => void;
}

/** What the program calls back with: an event in its own terms. */
interface PendingEvent {
  readonly id: number;
  readonly this: unknown;
  readonly args: ArrayLike<unknown>;
  result?: unknown;
}

/** Functions and memory that a Go program of GOOS=js exports. */
interface GoExports {
  readonly run: (argumentCount: number, argumentsAddress: number) => void;
  readonly resume: () => void;
  readonly getsp: () => number;
  readonly mem: WebAssembly.Memory;
}

/** A program that runs: nothing of it may be held by whoever waits for it, or its memory outlives it. */
interface Running {
  readonly exports: GoExports;
  readonly memory: GoMemory;
  readonly values: ValueTable;
}

/**
 * One run of a Go program that was compiled for GOOS=js and GOARCH=wasm, on a clock, a source of chance and wires that it is given. It
 * runs on this thread whenever it is woken, until all of its goroutines wait.
 */
export class GoProgram {
  /** Resolves with its exit code; rejects with a ProgramError when it crashed below its own runtime. Never settles once it is killed. */
  readonly exited: Promise<number>;
  readonly #site: GoProgramSite;
  readonly #startedAtMs: number;
  /** Absent before it runs and once it is over. */
  #running: Running | undefined;
  readonly #wakeUps = new Map<number, AbortController>();
  #nextWakeUp = 1;
  #resolveExit: (code: number) => void = () => undefined;
  #rejectExit: (error: Error) => void = () => undefined;
  /** What Go's `syscall/js` knows as its host. */
  readonly #host = {
    _pendingEvent: null as PendingEvent | null,
    _makeFuncWrapper: (id: number): unknown => this.#wrap(id),
  };

  constructor(site: GoProgramSite) {
    this.#site = site;
    this.#startedAtMs = site.clock.monotonicMs();
    this.exited = new Promise((resolve, reject) => {
      this.#resolveExit = resolve;
      this.#rejectExit = reject;
    });
    this.exited.catch(() => undefined);
  }

  /** Runs it from its beginning until it first waits. @throws ProgramError when arguments and environment are too long */
  start(): void {
    const { program, clock, random, files, onOutput, wireTo, command } = this.#site;
    const chance = random.fork('go');
    const fillRandom = (bytes: Uint8Array): void => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = chance.int(0, 255);
    };
    const wallMs = (): number => clock.nowMs();
    const imports = goImports({
      memory: () => this.#live().memory,
      values: () => this.#live().values,
      stackPointer: () => this.#live().exports.getsp() >>> 0,
      monotonicMs: () => clock.monotonicMs() - this.#startedAtMs + CLOCK_START_MS,
      wallMs,
      wakeUpAfter: (delayMs) => this.#wakeUpAfter(delayMs),
      cancelWakeUp: (id) => this.#cancelWakeUp(id),
      fillRandom,
      exit: (code) => this.#end(() => this.#resolveExit(code)),
      write: onOutput,
    });
    const instance = new WebAssembly.Instance(program.module, { gojs: imports });
    const exports = instance.exports as unknown as GoExports;
    const later = (call: () => void): void => queueMicrotask(() => this.#enter(call));
    const globals = createGlobals({
      fetch: createFetch({ clock, wireTo }),
      files: createFiles({ files, onOutput, later }),
      wallMs,
      fillRandom,
      name: command[0] ?? '',
    });
    this.#running = { exports, memory: new GoMemory(exports.mem), values: new ValueTable(globals, this.#host) };
    const argumentsAddress = this.#writeArguments(this.#running.memory);
    this.#enter(() => exports.run(command.length, argumentsAddress));
  }

  /** Ends it as SIGKILL would: it never runs again, and its memory is let go of. */
  kill(): void {
    this.#end(() => undefined);
  }

  #live(): Running {
    if (this.#running === undefined) throw new ProgramError('it is over');
    return this.#running;
  }

  #end(tell: () => void): void {
    if (this.#running === undefined) return;
    this.#site.program.runOver(this.#running.exports.resume);
    this.#running = undefined;
    this.#host._pendingEvent = null;
    for (const wakeUp of this.#wakeUps.values()) wakeUp.abort(wakeUp);
    this.#wakeUps.clear();
    tell();
  }

  /** Lets it run, unless it is over. What breaks it is a crash: its own runtime would have said what is wrong. */
  #enter(work: () => void): void {
    if (this.#running === undefined) return;
    try {
      work();
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.#end(() => this.#rejectExit(new ProgramError(`it crashed: ${reason}`)));
    }
  }

  /** A function of the program's, as JavaScript calls it. */
  #wrap(id: number): unknown {
    const call = (self: unknown, given: ArrayLike<unknown>): unknown => {
      const event: PendingEvent = { id, this: self, args: given };
      this.#enter(() => {
        this.#host._pendingEvent = event;
        this.#live().exports.resume();
      });
      return event.result;
    };
    return function (this: unknown, ...given: unknown[]): unknown {
      return call(this, given);
    };
  }

  #wakeUpAfter(delayMs: number): number {
    const id = this.#nextWakeUp;
    this.#nextWakeUp += 1;
    const cancel = new AbortController();
    this.#wakeUps.set(id, cancel);
    this.#site.clock.sleep(Math.max(0, delayMs), cancel.signal).then(
      () => {
        this.#wakeUps.delete(id);
        this.#enter(() => this.#live().exports.resume());
      },
      () => undefined,
    );
    return id;
  }

  #cancelWakeUp(id: number): void {
    const wakeUp = this.#wakeUps.get(id);
    this.#wakeUps.delete(id);
    wakeUp?.abort(wakeUp);
  }

  /** Texts, then a list of their addresses: arguments, 0, environment, 0. @returns the list's address */
  #writeArguments(memory: GoMemory): number {
    const { command, environment } = this.#site;
    const variables = Object.keys(environment)
      .sort()
      .map((name) => `${name}=${environment[name] ?? ''}`);
    const texts = [...command, ...variables].map((text) => encoder.encode(`${text}\0`));
    const padded = texts.map((text) => Math.ceil(text.length / 8) * 8);
    const listLength = (texts.length + 2) * 8;
    const end = ARGUMENTS_START + padded.reduce((sum, length) => sum + length, 0) + listLength;
    if (end > ARGUMENTS_END) {
      throw new ProgramError(
        `its arguments and environment take ${end - ARGUMENTS_START} bytes, and a Go program of GOOS=js has room for ${ARGUMENTS_END - ARGUMENTS_START}: shorten them`,
      );
    }
    let at = ARGUMENTS_START;
    const addresses = texts.map((text, index) => {
      const address = at;
      new Uint8Array(memory.buffer, address, text.length).set(text);
      at += padded[index] ?? 0;
      return address;
    });
    const list = [...addresses.slice(0, command.length), 0, ...addresses.slice(command.length), 0];
    list.forEach((address, index) => memory.setInt64(at + index * 8, address));
    return at;
  }
}

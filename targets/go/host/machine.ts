import { coveredIn } from './covered.ts';
import { STATUS_FUNCTIONS } from './files.ts';
import type { Files } from './files.ts';
import { createGlobals } from './globals.ts';
import type { GlobalsSite } from './globals.ts';
import { goImports } from './imports.ts';
import type { ImportSite } from './imports.ts';
import { GoMemory } from './memory.ts';
import { threadCpuMs } from '../../../runtime/stopwatch.ts';
import { ProgramError } from '../../target.ts';
import type { ProcessUsage } from '../../target.ts';
import { ValueTable } from './values.ts';
import type { ValueTableImage } from './values.ts';

const encoder = new TextEncoder();
/** Arguments and environment are stored here; Go's linker reserves 8 KiB for them. Source: cmd/link/internal/ld/data.go. */
const ARGUMENTS_START = 4_096;
const ARGUMENTS_END = 4_096 + 8_192;
/** An image stores the changed parts of memory in pieces of this size. */
const PIECE_BYTES = 4_096;
/** The names under which the build exports the program's globals (see `targets/go/build/export-globals.ts`). */
const GLOBAL_NAME = /^global\d+$/;

/** An image can't be taken of a program, or can't be restored. */
export class ImageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImageError';
  }
}

/** What a Go program runs with, and how it affects the outside. */
export interface MachineSite extends Omit<ImportSite, 'memory' | 'values' | 'stackPointer' | 'exit' | 'write'>, Pick<GlobalsSite, 'fetch'> {
  readonly module: WebAssembly.Module;
  /** The name under which it runs, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Files;
  /** Calls a function of the file system once the program is idle, as it expects. */
  readonly defer: (name: string, given: readonly unknown[]) => void;
  /** Called with everything that it writes to standard output (1) and standard error (2). */
  readonly onOutput: (descriptor: number, bytes: Uint8Array) => void;
  /** @param entry one of its functions */
  readonly onExit: (code: number, entry: unknown) => void;
  /** Called when it crashed below its own runtime, which then could not report the reason. */
  readonly onCrash: (error: ProgramError) => void;
}

/** A value that a program holds, described so that it can be found in another run of the same program. */
export type NamedValue =
  | { readonly kind: 'known'; readonly path: string }
  | { readonly kind: 'function'; readonly id: number }
  | { readonly kind: 'list'; readonly items: readonly NamedValue[] }
  /** `of`: the path of its class, if it has one */
  | { readonly kind: 'record'; readonly of?: string; readonly fields: readonly (readonly [string, NamedValue])[] }
  | { readonly kind: 'plain'; readonly value: string | number | boolean | null | undefined | Uint8Array };

/** An idle program, as data. */
export interface MachineImage {
  /** The size of its memory in bytes, and the pieces that differ from a new instance. */
  readonly memoryBytes: number;
  readonly addresses: Uint32Array;
  readonly pieces: Uint8Array;
  readonly globals: Readonly<Record<string, number | bigint>>;
  readonly values: ValueTableImage<NamedValue>;
  /** What it offers its host, by name. */
  readonly hooks: Readonly<Record<string, NamedValue>>;
}

/** How the program calls back: an event in its own format. */
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

/** A running program: nothing that waits for it may hold a part of this, or its memory would outlive it. */
interface Running {
  readonly exports: GoExports;
  readonly memory: GoMemory;
  readonly values: ValueTable;
  readonly globals: Record<string, unknown>;
}

/**
 * One run of a Go program compiled for GOOS=js and GOARCH=wasm. It runs on this thread whenever it is woken, until all of its
 * goroutines wait.
 */
export class GoMachine {
  readonly #site: MachineSite;
  /** Absent before it runs and once it is over. */
  #running: Running | undefined;
  /** Its functions, with the numbers that it knows them by. */
  readonly #functions = new WeakMap<object, number>();
  /** What it offers, by name: functions, and numbers. */
  readonly #hooks: Record<string, unknown> = {};
  /** The size of its memory, which only grows, when it was over. */
  #memoryBytes = 0;
  #cpuMs = 0;
  /** How deep calls between the program and its host are nested. */
  #depth = 0;
  /** What it had covered when it was over. */
  #covered: ReadonlySet<number> = new Set();
  /** The host object of Go's `syscall/js`. */
  readonly #host = {
    _pendingEvent: null as PendingEvent | null,
    _makeFuncWrapper: (id: number): unknown => this.function(id),
  };

  constructor(site: MachineSite) {
    this.#site = site;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** One of its functions, as long as it runs: holding it keeps V8 from dropping its code. */
  get entry(): unknown {
    return this.#running?.exports.resume;
  }

  /** Runs it from the start until it is idle. @throws ProgramError when arguments and environment are too long */
  start(): void {
    const { exports, memory } = this.#instantiate();
    const argumentsAddress = this.#writeArguments(memory);
    this.enter(() => exports.run(this.#site.command.length, argumentsAddress));
  }

  /** Restores the state of another run of the same program that was idle. */
  restore(image: MachineImage): void {
    const { exports, memory, values, globals } = this.#instantiate();
    const missing = image.memoryBytes - memory.buffer.byteLength;
    if (missing > 0) exports.mem.grow(missing / 65_536);
    memory.refresh();
    const bytes = new Uint8Array(memory.buffer);
    image.addresses.forEach((address, index) => {
      bytes.set(image.pieces.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES), address);
    });
    for (const [name, value] of Object.entries(image.globals)) {
      const global = (exports as unknown as Record<string, unknown>)[name] as WebAssembly.Global;
      global.value = value;
    }
    const known = new Map([...this.#known(globals)].map(([value, path]) => [path, value]));
    for (const [name, named] of Object.entries(image.hooks)) this.#hooks[name] = this.#valueOf(named, known);
    values.restore(image.values, (named) => this.#valueOf(named, known));
  }

  /** @throws ImageError if it holds values that another run could not find */
  image(): MachineImage {
    const { exports, memory, values, globals } = this.#live();
    const known = this.#known(globals);
    const untouched = new WebAssembly.Instance(this.#site.module, this.#imports());
    const before = new Uint8Array((untouched.exports as unknown as GoExports).mem.buffer);
    return {
      memoryBytes: memory.buffer.byteLength,
      ...changedPieces(before, new Uint8Array(memory.buffer)),
      globals: Object.fromEntries(
        Object.entries(exports).flatMap(([name, value]) => (GLOBAL_NAME.test(name) ? [[name, (value as WebAssembly.Global).value]] : [])),
      ),
      values: values.image((value) => this.#nameOf(value, known)),
      hooks: Object.fromEntries(Object.entries(this.#hooks).map(([name, value]) => [name, this.#nameOf(value, known)])),
    };
  }

  /** Describes a value so that another run can find it. @throws ImageError if that is impossible */
  nameOf(value: unknown): NamedValue {
    return this.#nameOf(value, this.#known(this.#live().globals));
  }

  /** Finds the value of this run with this description. */
  valueOf(named: NamedValue): unknown {
    return this.#valueOf(named, new Map([...this.#known(this.#live().globals)].map(([value, path]) => [path, value])));
  }

  /** Whether it offers its host this function (see `targets/go/build/overlay.ts`). */
  offers(name: string): boolean {
    return this.#hooks[name] !== undefined;
  }

  /** Calls a function that it offers its host. */
  callHook(name: string, ...given: unknown[]): unknown {
    const hook = this.#hooks[name];
    return typeof hook === 'function' ? (Reflect.apply(hook, undefined, given) as unknown) : undefined;
  }

  /** The blocks of its own code that it has run: none unless it was built to count them. @see coveredIn */
  covered(): ReadonlySet<number> {
    const { countersAt, countersLength } = this.#hooks;
    return this.#running === undefined ? this.#covered : coveredIn(this.#running.memory.buffer, countersAt, countersLength);
  }

  /** What it has used of the machine: its memory, and the processor time of its turns. */
  usage(): ProcessUsage {
    const bytes = this.#running?.memory.buffer.byteLength ?? this.#memoryBytes;
    return { cpuMs: this.#cpuMs, memory: 'webassembly', peakMiB: bytes / 2 ** 20 };
  }

  /** Wakes it, because a timer has fired. */
  resume(): void {
    this.enter(() => this.#live().exports.resume());
  }

  /** Releases it: it never runs again. */
  end(): void {
    this.#covered = this.covered();
    this.#memoryBytes = this.#running?.memory.buffer.byteLength ?? this.#memoryBytes;
    this.#running = undefined;
    this.#host._pendingEvent = null;
    for (const name of Object.keys(this.#hooks)) Reflect.deleteProperty(this.#hooks, name);
  }

  /** Lets it run, unless it is over. */
  enter(work: () => void): void {
    if (this.#running === undefined) return;
    const startMs = this.#depth === 0 ? threadCpuMs() : 0;
    this.#depth += 1;
    try {
      work();
    } catch (error) {
      if (!this.isRunning) return;
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.end();
      this.#site.onCrash(new ProgramError(`it crashed: ${reason}`));
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#cpuMs += threadCpuMs() - startMs;
    }
  }

  /** A function of the program, callable from JavaScript. @param id the program's number for it */
  function(id: number): unknown {
    const call = (self: unknown, given: ArrayLike<unknown>): unknown => {
      const event: PendingEvent = { id, this: self, args: given };
      this.enter(() => {
        this.#host._pendingEvent = event;
        this.#live().exports.resume();
      });
      return event.result;
    };
    const wrapper = function (this: unknown, ...given: unknown[]): unknown {
      return call(this, given);
    };
    this.#functions.set(wrapper, id);
    return wrapper;
  }

  #live(): Running {
    if (this.#running === undefined) throw new ProgramError('it is over');
    return this.#running;
  }

  #imports(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const { onExit, onOutput } = this.#site;
    const imports = goImports({
      ...this.#site,
      memory: () => this.#live().memory,
      values: () => this.#live().values,
      stackPointer: () => this.#live().exports.getsp() >>> 0,
      write: onOutput,
      exit: (code) => {
        const { entry } = this;
        this.end();
        onExit(code, entry);
      },
    });
    return { gojs: imports };
  }

  #instantiate(): Running {
    const { module, files, defer, onOutput, command } = this.#site;
    const { exports } = new WebAssembly.Instance(module, this.#imports());
    const functions = Object.keys(files.functions).map((name) => [name, (...given: unknown[]) => defer(name, given)] as const);
    const globals = createGlobals({
      ...this.#site,
      files: Object.fromEntries(functions),
      hooks: this.#hooks,
      complain: (message) => onOutput(2, encoder.encode(`${message}\n`)),
      name: command[0] ?? '',
    });
    const goExports = exports as unknown as GoExports;
    const running = { exports: goExports, memory: new GoMemory(goExports.mem), values: new ValueTable(globals, this.#host), globals };
    this.#running = running;
    return running;
  }

  /** Objects that every run has, by their path. */
  #known(globals: Record<string, unknown>): Map<unknown, string> {
    const known = new Map<unknown, string>([[this.#host, 'host']]);
    const walk = (value: unknown, path: string): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value)) return;
      known.set(value, path);
      // Built-in functions have no parts that a program would hold.
      if (typeof value !== 'object' || value === this.#hooks) return;
      for (const [name, part] of Object.entries(value)) walk(part, `${path}.${name}`);
    };
    walk(globals, 'global');
    walk(STATUS_FUNCTIONS, 'status');
    return known;
  }

  #nameOf(value: unknown, known: ReadonlyMap<unknown, string>): NamedValue {
    const path = known.get(value);
    if (path !== undefined) return { kind: 'known', path };
    if (typeof value === 'function') return { kind: 'function', id: this.#idOf(value) };
    if (value === null || value === undefined || value instanceof Uint8Array) return { kind: 'plain', value };
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { kind: 'plain', value };
    // Events and their arguments, which the program releases at its next garbage collection.
    if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => this.#nameOf(item, known)) };
    if (typeof value === 'object') {
      const fields = Object.entries(value).map(([name, part]): [string, NamedValue] => [name, this.#nameOf(part, known)]);
      if (Object.getPrototypeOf(value) === Object.prototype) return { kind: 'record', fields };
      const of = known.get(value.constructor);
      if (of !== undefined) return { kind: 'record', of, fields };
    }
    throw new ImageError(`it holds a ${typeof value} that only this run has`);
  }

  #idOf(value: unknown): number {
    const id = typeof value === 'function' ? this.#functions.get(value) : undefined;
    if (id === undefined) throw new ImageError("it holds a function that is neither its own nor its host's");
    return id;
  }

  #valueOf(named: NamedValue, known: ReadonlyMap<string, unknown>): unknown {
    switch (named.kind) {
      case 'function':
        return this.function(named.id);
      case 'plain':
        return named.value instanceof Uint8Array ? named.value.slice() : named.value;
      case 'list':
        return named.items.map((item) => this.#valueOf(item, known));
      case 'record': {
        const maker = named.of === undefined ? Object : known.get(named.of);
        const record = Object.create(typeof maker === 'function' ? (maker.prototype as object) : null) as object;
        return Object.assign(record, Object.fromEntries(named.fields.map(([name, part]) => [name, this.#valueOf(part, known)])));
      }
      case 'known':
        if (!known.has(named.path)) throw new ImageError(`there is no ${named.path}`);
        return known.get(named.path);
    }
  }

  /** Strings, then a list of their addresses: arguments, 0, environment, 0. @returns the address of the list */
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
      const [needed, room] = [end - ARGUMENTS_START, ARGUMENTS_END - ARGUMENTS_START];
      throw new ProgramError(
        `its arguments and environment take ${needed} bytes, and a Go program of GOOS=js has room for ${room}: shorten them`,
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

/** The pieces of memory that differ from a new instance, with their addresses. */
function changedPieces(before: Uint8Array, after: Uint8Array): Pick<MachineImage, 'addresses' | 'pieces'> {
  const addresses: number[] = [];
  const [old, now] = [Buffer.from(before.buffer), Buffer.from(after.buffer)];
  const nothing = Buffer.alloc(PIECE_BYTES);
  for (let at = 0; at < now.length; at += PIECE_BYTES) {
    const isOld = at < old.length;
    const same = isOld
      ? now.compare(old, at, at + PIECE_BYTES, at, at + PIECE_BYTES) === 0
      : now.compare(nothing, 0, PIECE_BYTES, at, at + PIECE_BYTES) === 0;
    if (!same) addresses.push(at);
  }
  const pieces = new Uint8Array(addresses.length * PIECE_BYTES);
  addresses.forEach((address, index) => pieces.set(now.subarray(address, address + PIECE_BYTES), index * PIECE_BYTES));
  return { addresses: Uint32Array.from(addresses), pieces };
}

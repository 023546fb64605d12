import type { GoMemory } from './memory.ts';
import type { ValueTable } from './values.ts';

const encoder = new TextEncoder();
const NS_PER_MS = 1_000_000;
/** Arguments follow the return address. */
const ARGUMENTS = 8;

/** What a Go program's imports use. */
export interface ImportSite {
  memory(): GoMemory;
  values(): ValueTable;
  /** The program's stack pointer: a call that re-entered the program may have moved its stack. */
  stackPointer(): number;
  /** Elapsed time in milliseconds, even if the wall clock is wrong; never 0, which Go takes for a broken clock. */
  monotonicMs(): number;
  /** The wall clock, in milliseconds since the Unix epoch. */
  wallMs(): number;
  /** Wakes the program after this delay. @returns the id for `cancelWakeUp` */
  wakeUpAfter(delayMs: number): number;
  cancelWakeUp(id: number): void;
  fillRandom(bytes: Uint8Array): void;
  exit(code: number): void;
  /** Writes output from before it has files: the text of a crash. */
  write(descriptor: number, bytes: Uint8Array): void;
}

type Import = (sp: number) => void;

/**
 * The functions that a Go program of GOOS=js imports, in the module `gojs`. Each takes the stack pointer: arguments start 8
 * bytes above it, results follow them. Source of names and signatures: `runtime` and `syscall/js` of Go's standard library
 * (sys_wasm.go, lock_js.go, js.go).
 */
export function goImports(site: ImportSite): Readonly<Record<string, Import>> {
  const load = (address: number): unknown => site.values().load(site.memory(), address);
  const store = (address: number, value: unknown): void => site.values().store(site.memory(), address, value);
  const loadAll = (address: number): unknown[] => [...site.memory().elementsOf(address)].map(load);
  /** Runs code that may throw or re-enter the program, and stores its result and whether it succeeded. */
  const attempt = (resultAt: number, work: () => unknown): void => {
    let value: unknown;
    let isDone = true;
    try {
      value = work();
    } catch (error) {
      value = error;
      isDone = false;
    }
    const at = site.stackPointer() + resultAt;
    store(at, value);
    site.memory().setUint8(at + 8, isDone ? 1 : 0);
  };
  let lastMs = -1;
  let again = 0;
  const imports: Readonly<Record<string, Import>> = {
    'runtime.wasmExit': (sp) => site.exit(site.memory().getInt32(sp + ARGUMENTS)),
    'runtime.wasmWrite': (sp) => {
      const memory = site.memory();
      const bytes = new Uint8Array(memory.buffer, memory.getInt64(sp + 16), memory.getInt32(sp + 24));
      site.write(memory.getInt64(sp + ARGUMENTS), bytes);
    },
    'runtime.resetMemoryDataView': () => site.memory().refresh(),
    'runtime.nanotime1': (sp) => site.memory().setInt64(sp + ARGUMENTS, site.monotonicMs() * NS_PER_MS),
    'runtime.walltime': (sp) => {
      const ms = site.wallMs();
      // Time stands still while it computes, but client-go names Events by the nanosecond: two of one object would have the same name.
      again = ms === lastMs ? Math.min(again + 1, NS_PER_MS - 1) : 0;
      lastMs = ms;
      site.memory().setInt64(sp + ARGUMENTS, Math.floor(ms / 1_000));
      site.memory().setInt32(sp + 16, (ms % 1_000) * NS_PER_MS + again);
    },
    'runtime.scheduleTimeoutEvent': (sp) => {
      const memory = site.memory();
      memory.setInt32(sp + 16, site.wakeUpAfter(memory.getInt64(sp + ARGUMENTS)));
    },
    'runtime.clearTimeoutEvent': (sp) => site.cancelWakeUp(site.memory().getInt32(sp + ARGUMENTS)),
    'runtime.getRandomData': (sp) => site.fillRandom(site.memory().bytesOf(sp + ARGUMENTS)),
    'syscall/js.finalizeRef': (sp) => site.values().release(site.memory().getUint32(sp + ARGUMENTS)),
    'syscall/js.stringVal': (sp) => store(sp + 24, site.memory().textOf(sp + ARGUMENTS)),
    'syscall/js.valueGet': (sp) => {
      const value: unknown = Reflect.get(asObject(load(sp + ARGUMENTS)), site.memory().textOf(sp + 16));
      store(site.stackPointer() + 32, value);
    },
    'syscall/js.valueSet': (sp) => {
      Reflect.set(asObject(load(sp + ARGUMENTS)), site.memory().textOf(sp + 16), load(sp + 32));
    },
    'syscall/js.valueDelete': (sp) => {
      Reflect.deleteProperty(asObject(load(sp + ARGUMENTS)), site.memory().textOf(sp + 16));
    },
    'syscall/js.valueIndex': (sp) => store(sp + 24, Reflect.get(asObject(load(sp + ARGUMENTS)), site.memory().getInt64(sp + 16))),
    'syscall/js.valueSetIndex': (sp) => {
      Reflect.set(asObject(load(sp + ARGUMENTS)), site.memory().getInt64(sp + 16), load(sp + 24));
    },
    'syscall/js.valueCall': (sp) =>
      attempt(56, () => {
        const object = asObject(load(sp + ARGUMENTS));
        const method: unknown = Reflect.get(object, site.memory().textOf(sp + 16));
        return Reflect.apply(asFunction(method), object, loadAll(sp + 32));
      }),
    'syscall/js.valueInvoke': (sp) => attempt(40, () => Reflect.apply(asFunction(load(sp + ARGUMENTS)), undefined, loadAll(sp + 16))),
    'syscall/js.valueNew': (sp) => attempt(40, () => Reflect.construct(asFunction(load(sp + ARGUMENTS)), loadAll(sp + 16)) as unknown),
    'syscall/js.valueLength': (sp) => {
      site.memory().setInt64(sp + 16, Number(Reflect.get(asObject(load(sp + ARGUMENTS)), 'length')));
    },
    'syscall/js.valuePrepareString': (sp) => {
      const bytes = encoder.encode(String(load(sp + ARGUMENTS)));
      store(sp + 16, bytes);
      site.memory().setInt64(sp + 24, bytes.length);
    },
    'syscall/js.valueLoadString': (sp) =>
      site
        .memory()
        .bytesOf(sp + 16)
        .set(asBytes(load(sp + ARGUMENTS)) ?? []),
    'syscall/js.valueInstanceOf': (sp) => {
      const isInstance = load(sp + ARGUMENTS) instanceof asFunction(load(sp + 16));
      site.memory().setUint8(sp + 24, isInstance ? 1 : 0);
    },
    'syscall/js.copyBytesToGo': (sp) => copy(site, { to: site.memory().bytesOf(sp + ARGUMENTS), from: asBytes(load(sp + 32)), sp }),
    'syscall/js.copyBytesToJS': (sp) => copy(site, { to: asBytes(load(sp + ARGUMENTS)), from: site.memory().bytesOf(sp + 16), sp }),
  };
  // The stack pointer is an unsigned 32-bit number, which WebAssembly passes as a signed one.
  return Object.fromEntries(Object.entries(imports).map(([name, run]) => [name, (sp: number) => run(sp >>> 0)]));
}

interface Copy {
  readonly to: Uint8Array | undefined;
  readonly from: Uint8Array | undefined;
  readonly sp: number;
}

function copy(site: ImportSite, { to, from, sp }: Copy): void {
  if (to === undefined || from === undefined) {
    site.memory().setUint8(sp + 48, 0);
    return;
  }
  const copied = from.length > to.length ? from.subarray(0, to.length) : from;
  to.set(copied);
  site.memory().setInt64(sp + 40, copied.length);
  site.memory().setUint8(sp + 48, 1);
}

function asBytes(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

/** @throws TypeError, like reading a property of a value without properties */
function asObject(value: unknown): object {
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') return value;
  // Go also reads properties of strings.
  if (typeof value === 'string') return Object(value) as object;
  throw new TypeError(`${String(value)} has no properties`);
}

/** @throws TypeError if it can't be called */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- Go calls whatever function it holds: nothing is known of its parameters
function asFunction(value: unknown): Function {
  if (typeof value === 'function') return value;
  throw new TypeError(`${String(value)} is not a function`);
}

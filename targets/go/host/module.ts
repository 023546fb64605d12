import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { keepFile, readKeptFile } from '../keep-file.ts';

/** V8's internal functions for the code of modules, which have no public API. */
const NATIVES = {
  /** The optimized code of a module. Must not be called for a module that has none: V8 then aborts the process. */
  serialize: { parameters: 'module', call: '%SerializeWasmModule(module)' },
  /** Undefined for code of another V8 version, other flags or another module. */
  deserialize: { parameters: 'code, bytes', call: '%DeserializeWasmModule(code, bytes)' },
  /** Optimizes one exported function at once. */
  optimize: { parameters: 'exported', call: '%WasmTierUpFunction(exported)' },
} as const;

/**
 * Calls one of V8's internal functions, which browsers use for their caches and Node does not expose. They can only be named in
 * source that is parsed while a flag is set, and V8 forgets parsed code that has not been called for a while: so each call is
 * parsed again. The call itself happens after the flags are restored, because V8 rejects code from different flags.
 * @returns undefined if this V8 lacks it: everything still works, but slower
 */
function callNative(name: keyof typeof NATIVES, ...given: readonly unknown[]): unknown {
  const { parameters, call } = NATIVES[name];
  return parseNative(parameters, call)?.(...given);
}

function parseNative(parameters: string, call: string): ((...given: readonly unknown[]) => unknown) | undefined {
  setFlagsFromString('--allow-natives-syntax');
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- V8's natives have no other name
    return new Function(parameters, `return ${call}`) as (...given: readonly unknown[]) => unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** Optimized code is stored after this many runs, and again after twice as many: each run optimizes some more functions. */
const FIRST_KEPT_AFTER = 1;
/** A process that started with stored code adds to it after this many runs. */
const NEXT_KEPT_AFTER = 8;
/** After this many runs nearly all hot functions have been optimized. */
const LAST_KEPT_AFTER = 64;

/** A compiled program, shared by all of its runs in a process. */
export class CompiledProgram {
  readonly module: WebAssembly.Module;
  readonly #codePath: string;
  #keepAfter: number;
  #runs = 0;

  /**
   * Compiles a program, with the code that earlier processes stored, if any.
   * @param path of the WebAssembly file @param codeFolder where optimized code is stored, by V8's version
   */
  constructor(path: string, codeFolder: string) {
    const bytes = readFileSync(path);
    this.#codePath = join(codeFolder, `v8-${process.versions.v8}-${process.arch}`);
    const kept = this.#readCode(bytes);
    this.module = kept ?? new WebAssembly.Module(bytes);
    this.#keepAfter = kept === undefined ? FIRST_KEPT_AFTER : NEXT_KEPT_AFTER;
  }

  /** Call this after each run: at times the optimized code is stored for later processes. @param exported one of its functions */
  runOver(exported: unknown): void {
    this.#runs += 1;
    if (this.#runs !== this.#keepAfter) return;
    if (this.#keepAfter < LAST_KEPT_AFTER) this.#keepAfter *= 2;
    // At least one function must be optimized; the others are those that were hot.
    callNative('optimize', exported);
    const code = callNative('serialize', this.module);
    if (!(code instanceof ArrayBuffer)) return;
    keepFile(this.#codePath, new Uint8Array(code));
  }

  #readCode(bytes: Uint8Array): WebAssembly.Module | undefined {
    // V8 does not check the code itself: damaged code would end the process, or do something else than the program.
    const code = readKeptFile(this.#codePath);
    if (code === undefined) return undefined;
    const module = callNative('deserialize', code.buffer, bytes);
    return module instanceof WebAssembly.Module ? module : undefined;
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { keepFile } from '../keep-file.ts';

/** What V8 can do with the code of a module, and offers no function for. */
const NATIVES = {
  /** The optimized code of a module. Must not be called for a module that has none: V8 then ends the process. */
  serialize: { parameters: 'module', call: '%SerializeWasmModule(module)' },
  /** Undefined for code of another V8, other flags or another module. */
  deserialize: { parameters: 'code, bytes', call: '%DeserializeWasmModule(code, bytes)' },
  /** Optimizes one exported function at once. */
  optimize: { parameters: 'exported', call: '%WasmTierUpFunction(exported)' },
} as const;

/**
 * Calls one of V8's own functions, which browsers use for their caches and Node does not expose. They have names in source alone that is
 * parsed while a flag is set, and what was parsed is forgotten when it has not been called for a while: so each call is parsed anew. The
 * call itself comes when the flags are as before, since V8 takes code for that of another V8 if they differ.
 * @returns undefined where this V8 lacks it: everything then works as before, and slower
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

/** Optimized code is kept after so many runs, and again after twice as many: each run optimizes some functions more. */
const FIRST_KEPT_AFTER = 1;
/** A process that began with kept code adds to it after so many runs. */
const NEXT_KEPT_AFTER = 8;
/** After so many runs nearly everything that is hot has been optimized. */
const LAST_KEPT_AFTER = 64;

/** A compiled program, which is the same for all of its runs in a process. */
export class CompiledProgram {
  readonly module: WebAssembly.Module;
  readonly #codePath: string;
  #keepAfter: number;
  #runs = 0;

  /**
   * Compiles a program, with the code that earlier processes kept where there is any.
   * @param path of the WebAssembly file @param codeFolder where optimized code is kept, by V8's version
   */
  constructor(path: string, codeFolder: string) {
    const bytes = readFileSync(path);
    this.#codePath = join(codeFolder, `v8-${process.versions.v8}-${process.arch}`);
    const kept = this.#readCode(bytes);
    this.module = kept ?? new WebAssembly.Module(bytes);
    this.#keepAfter = kept === undefined ? FIRST_KEPT_AFTER : NEXT_KEPT_AFTER;
  }

  /** To be told of each run that is over: now and then the optimized code is kept for processes to come. @param exported a function of its */
  runOver(exported: unknown): void {
    this.#runs += 1;
    if (this.#runs !== this.#keepAfter) return;
    if (this.#keepAfter < LAST_KEPT_AFTER) this.#keepAfter *= 2;
    // At least one function has to be: the others are those that were hot.
    callNative('optimize', exported);
    const code = callNative('serialize', this.module);
    if (!(code instanceof ArrayBuffer)) return;
    keepFile(this.#codePath, new Uint8Array(code));
  }

  #readCode(bytes: Uint8Array): WebAssembly.Module | undefined {
    let code: Uint8Array<ArrayBuffer>;
    try {
      code = new Uint8Array(readFileSync(this.#codePath));
    } catch {
      return undefined;
    }
    const module = callNative('deserialize', code.buffer, bytes);
    return module instanceof WebAssembly.Module ? module : undefined;
  }
}

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/** What V8 can do with the code of a module, and offers no function for. */
interface CodeFunctions {
  /** The optimized code of a module. Must not be called for a module that has none: V8 then ends the process. */
  readonly serialize: (module: WebAssembly.Module) => ArrayBuffer;
  /** @returns undefined for code of another V8, other flags or another module */
  readonly deserialize: (code: ArrayBuffer, bytes: Uint8Array) => WebAssembly.Module | undefined;
  /** Optimizes one function at once. */
  readonly optimize: (exported: unknown) => void;
}

/**
 * V8's own functions for keeping compiled code, which browsers use for their caches and Node does not expose. Undefined where this V8
 * lacks one of them: everything then works as before, and slower.
 */
function codeFunctions(): CodeFunctions | undefined {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return {
      serialize: nativeFunction('module', '%SerializeWasmModule(module)') as CodeFunctions['serialize'],
      deserialize: nativeFunction('code, bytes', '%DeserializeWasmModule(code, bytes)') as CodeFunctions['deserialize'],
      optimize: nativeFunction('exported', '%WasmTierUpFunction(exported)') as CodeFunctions['optimize'],
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** Compiled at once: V8 reads such calls only while its flag is set. */
function nativeFunction(parameters: string, call: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- V8's natives have no other name than in source that is parsed while a flag is set
  return new Function(parameters, `return ${call}`);
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
  readonly #functions: CodeFunctions | undefined;
  readonly #codePath: string;
  #keepAfter: number;
  #runs = 0;

  /**
   * Compiles a program, with the code that earlier processes kept where there is any.
   * @param path of the WebAssembly file @param codeFolder where optimized code is kept, by V8's version
   */
  constructor(path: string, codeFolder: string) {
    const bytes = readFileSync(path);
    this.#functions = codeFunctions();
    this.#codePath = join(codeFolder, `v8-${process.versions.v8}-${process.arch}`);
    const kept = this.#readCode(bytes);
    this.module = kept ?? new WebAssembly.Module(bytes);
    this.#keepAfter = kept === undefined ? FIRST_KEPT_AFTER : NEXT_KEPT_AFTER;
  }

  /** To be told of each run that is over: now and then the optimized code is kept for processes to come. @param exported a function of its */
  runOver(exported: unknown): void {
    this.#runs += 1;
    if (this.#functions === undefined || this.#runs !== this.#keepAfter) return;
    if (this.#keepAfter < LAST_KEPT_AFTER) this.#keepAfter *= 2;
    // At least one function has to be: the others are those that were hot.
    this.#functions.optimize(exported);
    // In place of what is there at once: others may read it.
    const unfinished = `${this.#codePath}.${process.pid}`;
    try {
      mkdirSync(join(this.#codePath, '..'), { recursive: true });
      writeFileSync(unfinished, new Uint8Array(this.#functions.serialize(this.module)));
      renameSync(unfinished, this.#codePath);
    } catch {
      // A cache that can't be written is no reason to fail: a disk is full, or belongs to somebody else.
      rmSync(unfinished, { force: true });
    }
  }

  #readCode(bytes: Uint8Array): WebAssembly.Module | undefined {
    if (this.#functions === undefined) return undefined;
    let code: Uint8Array<ArrayBuffer>;
    try {
      code = new Uint8Array(readFileSync(this.#codePath));
    } catch {
      return undefined;
    }
    return this.#functions.deserialize(code.buffer, bytes);
  }
}

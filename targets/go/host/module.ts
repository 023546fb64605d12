import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/** What V8 can do with the code of a module, and Node does not expose: browsers use it for their caches. */
const NATIVES = {
  /** Gives the optimized code of a module. Must not be called for a module that has none: V8 then ends the process. */
  serialize: ['module', '%SerializeWasmModule(module)'],
  /** Gives undefined for code of another V8, other flags or another module. */
  deserialize: ['code, bytes', '%DeserializeWasmModule(code, bytes)'],
  /** Optimizes one function at once. */
  optimize: ['exported', '%WasmTierUpFunction(exported)'],
} as const;

/**
 * One of V8's own functions. V8 reads their names only while a flag is set, so each is parsed anew for each call: V8 drops the code of a
 * function that has not run for a while, and parses its source again at the next call, when the flag is off.
 * @throws SyntaxError if this V8 lacks it
 */
function native(name: keyof typeof NATIVES): (...values: unknown[]) => unknown {
  const [parameters, call] = NATIVES[name];
  setFlagsFromString('--allow-natives-syntax');
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- V8's natives have no other name than in source that is parsed while a flag is set
    return new Function(parameters, `return ${call}`) as (...values: unknown[]) => unknown;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** Whether this V8 has all of them: everything works without them as well, and slower. */
function canKeepCode(): boolean {
  try {
    native('serialize');
    native('deserialize');
    native('optimize');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Optimized code is kept after so many runs, and again after twice as many: each run optimizes some functions more. */
const FIRST_KEPT_AFTER = 1;
/** After so many runs nearly everything that is hot has been optimized. */
const LAST_KEPT_AFTER = 16;

/** A compiled program, which is the same for all of its runs in a process. */
export class CompiledProgram {
  readonly module: WebAssembly.Module;
  readonly #canKeep: boolean;
  readonly #codePath: string;
  #keepAfter: number;
  #runs = 0;

  /**
   * Compiles a program, with the code that earlier processes kept where there is any.
   * @param path of the WebAssembly file @param codeFolder where optimized code is kept, by V8's version
   */
  constructor(path: string, codeFolder: string) {
    const bytes = readFileSync(path);
    this.#canKeep = canKeepCode();
    this.#codePath = join(codeFolder, `v8-${process.versions.v8}-${process.arch}`);
    const kept = this.#readCode(bytes);
    this.module = kept ?? new WebAssembly.Module(bytes);
    this.#keepAfter = kept === undefined ? FIRST_KEPT_AFTER : LAST_KEPT_AFTER;
  }

  /** To be told of each run that is over: now and then the optimized code is kept for processes to come. @param exported a function of its */
  runOver(exported: unknown): void {
    this.#runs += 1;
    if (!this.#canKeep || this.#runs !== this.#keepAfter) return;
    if (this.#keepAfter < LAST_KEPT_AFTER) this.#keepAfter *= 2;
    // At least one function has to be: the others are those that were hot.
    native('optimize')(exported);
    // In place of what is there at once: others may read it.
    const unfinished = `${this.#codePath}.${process.pid}`;
    try {
      mkdirSync(join(this.#codePath, '..'), { recursive: true });
      writeFileSync(unfinished, new Uint8Array(native('serialize')(this.module) as ArrayBuffer));
      renameSync(unfinished, this.#codePath);
    } catch {
      // A cache that can't be written is no reason to fail: a disk is full, or belongs to somebody else.
      rmSync(unfinished, { force: true });
    }
  }

  #readCode(bytes: Uint8Array): WebAssembly.Module | undefined {
    if (!this.#canKeep) return undefined;
    let code: Uint8Array<ArrayBuffer>;
    try {
      code = new Uint8Array(readFileSync(this.#codePath));
    } catch {
      return undefined;
    }
    return native('deserialize')(code.buffer, bytes) as WebAssembly.Module | undefined;
  }
}

import { never } from '../../../runtime/clock.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createFiles } from './files.ts';
import type { OpenFiles } from './files.ts';
import { fillerOf } from './chance.ts';
import { GoMachine, ImageError } from './machine.ts';
import type { MachineImage, MachineSite, NamedValue } from './machine.ts';

/** Go takes a clock that reads 0 for a broken one. */
export const CLOCK_START_MS = 1_000;
/** The wall clock while an image is made. */
const WALL_MS = Date.UTC(2026, 0, 1);
/** A program with more file system calls than this before its first request gets no image, and starts from scratch each time. */
const MAX_CALLS = 10_000;

/** The inputs of an image: the same inputs give the same image. */
export type ImageSource = Pick<MachineSite, 'module' | 'command' | 'environment'> & {
  /** Contents by absolute path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** A program before its first network request, as data: everything until then is the same in every trial. */
export interface ProgramImage {
  readonly machine: MachineImage;
  readonly openFiles: OpenFiles;
  /** File system functions whose callbacks it waits for. */
  readonly calls: readonly { readonly name: string; readonly given: readonly NamedValue[] }[];
  /** Timers that it waits for. */
  readonly wakeUps: readonly { readonly id: number; readonly delayMs: number }[];
  readonly nextWakeUp: number;
  /** Its output so far. */
  readonly said: readonly { readonly descriptor: number; readonly bytes: Uint8Array }[];
}

/**
 * Runs a program up to its first request, and takes an image of its last idle state before that. Random numbers and clock are the
 * same each time: a program that continues from the image gets its own by the hook `reseed`.
 * @returns undefined if no image is possible: the program lacks that hook, exits, or sends a request before it is ever idle
 */
export function makeImage(source: ImageSource): ProgramImage | undefined {
  const first = new Rehearsal(source);
  const calls = first.runUntilRequest(MAX_CALLS);
  if (calls === undefined) return undefined;
  const second = new Rehearsal(source);
  second.runUntilRequest(calls);
  try {
    return second.image();
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}

/** A program in a world where no time passes. */
class Rehearsal {
  readonly #machine: GoMachine;
  readonly #files;
  readonly #calls: { readonly name: string; readonly given: readonly unknown[] }[] = [];
  readonly #wakeUps = new Map<number, number>();
  readonly #said: { readonly descriptor: number; readonly bytes: Uint8Array }[] = [];
  #nextWakeUp = 1;
  #hasAsked = false;

  constructor(source: ImageSource) {
    const onOutput = (descriptor: number, bytes: Uint8Array): void => void this.#said.push({ descriptor, bytes: bytes.slice() });
    this.#files = createFiles({ files: source.files, onOutput });
    this.#machine = new GoMachine({
      ...source,
      files: this.#files,
      monotonicMs: () => CLOCK_START_MS,
      wallMs: () => WALL_MS,
      fillRandom: fillerOf(createRandom('the image of a program')),
      fetch: () => {
        this.#hasAsked = true;
        return never();
      },
      defer: (name, given) => void this.#calls.push({ name, given }),
      wakeUpAfter: (delayMs) => {
        const id = this.#nextWakeUp;
        this.#nextWakeUp += 1;
        this.#wakeUps.set(id, delayMs);
        return id;
      },
      cancelWakeUp: (id) => void this.#wakeUps.delete(id),
      onOutput,
      onExit: () => undefined,
      onCrash: () => undefined,
    });
  }

  /**
   * @param most gives up after this many file system calls
   * @returns the number of calls before its first request, minus one; or all calls if it sent none
   */
  runUntilRequest(most: number): number | undefined {
    this.#machine.start();
    for (let calls = 0; ; calls += 1) {
      if (!this.#machine.isRunning) return undefined;
      if (this.#hasAsked) return calls === 0 ? undefined : calls - 1;
      if (calls === most) return most < MAX_CALLS ? most : undefined;
      const call = this.#calls.shift();
      if (call === undefined) return calls;
      this.#machine.enter(() => this.#files.functions[call.name]?.(...call.given));
    }
  }

  image(): ProgramImage | undefined {
    if (!this.#machine.offers('reseed')) return undefined;
    return {
      machine: this.#machine.image(),
      openFiles: this.#files.image(),
      calls: this.#calls.map(({ name, given }) => ({ name, given: given.map((value) => this.#machine.nameOf(value)) })),
      wakeUps: [...this.#wakeUps].map(([id, delayMs]) => ({ id, delayMs })),
      nextWakeUp: this.#nextWakeUp,
      said: this.#said,
    };
  }
}

import { defined } from '../../../model/defined.ts';

/** Pauses after failed launches; how they grow is not documented. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;

/** Why a group's size differs from what it was. */
export interface Change {
  /** In the words of an activity's cause. */
  readonly cause: string;
  /** Of the request. */
  readonly span: number;
}

/** What the controller remembers of a group between its rounds. */
interface Memory {
  /** The request that changed the size, until the group has that size. */
  readonly change?: Change;
  readonly failures: number;
  /** No launch is tried before. */
  readonly pausedUntilMs: number;
  /** It said that it can't shrink because of protected instances. */
  readonly isStuck: boolean;
}

const FRESH: Memory = { failures: 0, pausedUntilMs: 0, isStuck: false };

/** What the controller remembers of all groups, by name. */
export class Memories {
  readonly #memories = new Map<string, Memory>();

  of(name: string): Memory {
    return this.#memories.get(name) ?? FRESH;
  }

  /** A request changed something: whatever failed is tried again. */
  changed(name: string, change: Change | undefined): void {
    const { change: before, failures } = this.of(name);
    this.#memories.set(name, { ...FRESH, failures, ...defined({ change: change ?? before }) });
  }

  /** A launch failed. @returns the pause before the next one, longer each time */
  failed(name: string, nowMs: number): number {
    const memory = this.of(name);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** memory.failures, LONGEST_PAUSE_MS);
    this.#memories.set(name, { ...memory, failures: memory.failures + 1, pausedUntilMs: nowMs + pauseMs });
    return pauseMs;
  }

  /** A launch succeeded. */
  launched(name: string): void {
    this.#memories.set(name, { ...this.of(name), failures: 0 });
  }

  /** The group can't shrink. */
  stuck(name: string): void {
    this.#memories.set(name, { ...this.of(name), isStuck: true });
  }

  /** The group has its size. */
  reached(name: string): void {
    this.#memories.set(name, { ...FRESH, failures: this.of(name).failures });
  }

  forget(name: string): void {
    this.#memories.delete(name);
  }
}

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

/** Launches that balance a group's zones. */
interface Balance {
  /** When the first was, as causes have it. */
  readonly since: string;
  readonly zones: readonly string[];
}

/** What the controller remembers of a group between its rounds. */
export interface Memory {
  /** The request that changed the size, until the group has that size. */
  readonly change?: Change;
  /** Why it lost members that it has not replaced, oldest first, in the words of the cause of a launch. */
  readonly losses: readonly string[];
  /** What it launched to balance its zones, until what is too much is gone. */
  readonly balance?: Balance;
  readonly failures: number;
  /** No launch is tried before. */
  readonly pausedUntilMs: number;
  /** It said that it can't shrink because of protected instances. */
  readonly isStuck: boolean;
}

const FRESH: Memory = { losses: [], failures: 0, pausedUntilMs: 0, isStuck: false };

/** What the controller remembers of all groups, by name. */
export class Memories {
  readonly #memories = new Map<string, Memory>();

  of(name: string): Memory {
    return this.#memories.get(name) ?? FRESH;
  }

  /** A request changed something: whatever failed is tried again. */
  changed(name: string, change: Change | undefined): void {
    const { change: before, losses, balance, failures } = this.of(name);
    this.#memories.set(name, { ...FRESH, losses, failures, ...defined({ change: change ?? before, balance }) });
  }

  /** A launch failed. @returns the pause before the next one, longer each time */
  failed(name: string, nowMs: number): number {
    const memory = this.of(name);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** memory.failures, LONGEST_PAUSE_MS);
    this.#memories.set(name, { ...memory, failures: memory.failures + 1, pausedUntilMs: nowMs + pauseMs });
    return pauseMs;
  }

  /** A launch succeeded: first for what was lost, then for what a request wants. */
  launched(name: string): void {
    const memory = this.of(name);
    this.#memories.set(name, { ...memory, losses: memory.losses.slice(1), failures: 0 });
  }

  /** A member is lost. @param reason to launch another, in the words of a cause */
  lost(name: string, reason: string): void {
    const memory = this.of(name);
    this.#memories.set(name, { ...memory, losses: [...memory.losses, reason] });
  }

  /** An instance was launched in a zone that had too few. */
  balancing(name: string, { since, zone }: { readonly since: string; readonly zone: string }): void {
    const { balance = { since, zones: [] }, ...memory } = this.of(name);
    const zones = [...new Set([...balance.zones, zone])].sort();
    this.#memories.set(name, { ...memory, balance: { since: balance.since, zones } });
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

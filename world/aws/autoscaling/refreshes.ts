import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { drawUuid } from '../ids.ts';

/** How an instance refresh goes about it. */
export interface RefreshPreferences {
  /** Of the desired capacity, in percent. */
  readonly minHealthy: number;
  readonly maxHealthy: number;
  readonly warmupS: number;
  readonly skipsMatching: boolean;
  readonly whenProtected: 'Refresh' | 'Ignore' | 'Wait';
  readonly whenOnStandby: 'Terminate' | 'Ignore' | 'Wait';
}

/** The replacement of a group's members. Refreshes are immutable: a change replaces them. */
export interface Refresh extends RefreshPreferences {
  readonly id: string;
  readonly group: string;
  readonly status: 'Pending' | 'InProgress' | 'Successful' | 'Failed' | 'Cancelling' | 'Cancelled';
  readonly reason?: string;
  readonly startMs: number;
  readonly endMs?: number;
  /** The members that it replaces. */
  readonly outdated: readonly string[];
  /** How many of them still have to be replaced. */
  readonly left: number;
  /** When that last became less. */
  readonly progressMs: number;
}

/** The refreshes of all groups. */
export class Refreshes {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By group, oldest first. */
  readonly #refreshes = new Map<string, readonly Refresh[]>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Newest first. */
  of(group: string): readonly Refresh[] {
    return (this.#refreshes.get(group) ?? []).toReversed();
  }

  /** The one that goes on, if any. */
  active(group: string): Refresh | undefined {
    return this.of(group).find(({ endMs }) => endMs === undefined);
  }

  begin(group: string, outdated: readonly string[], preferences: RefreshPreferences): Refresh {
    const startMs = this.#clock.nowMs();
    const times = { startMs, progressMs: startMs };
    const begun: Refresh = {
      id: drawUuid(this.#random),
      group,
      status: 'Pending',
      outdated,
      left: outdated.length,
      ...times,
      ...preferences,
    };
    this.#refreshes.set(group, [...(this.#refreshes.get(group) ?? []), begun]);
    return begun;
  }

  keep(refresh: Refresh): void {
    const all = this.#refreshes.get(refresh.group) ?? [];
    this.#refreshes.set(
      refresh.group,
      all.map((one) => (one.id === refresh.id ? refresh : one)),
    );
  }

  end(refresh: Refresh, status: 'Successful' | 'Failed' | 'Cancelled', reason?: string): void {
    this.keep({ ...refresh, status, endMs: this.#clock.nowMs(), ...defined({ reason }) });
  }

  forget(group: string): void {
    this.#refreshes.delete(group);
  }
}

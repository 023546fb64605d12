import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { Heal } from '../../ports.ts';
import { Replica } from '../replica.ts';

/** Without a fault reads see every change at once. */
const NO_LAG = { probability: 0, maxMs: 0 };

/**
 * What reads see of all objects of one kind. While a fault makes reads stale, the target sees each change only some time after it
 * happened. Everybody else, such as the operator who makes the groups, sees what is. Sources: "occasional stale min/max/desired" in
 * spinnaker/orca#2746, and a desired capacity that is wrong now and then in aws/aws-sdk-go#2388.
 */
export class Reads<T> {
  readonly #current: () => ReadonlyMap<string, T>;
  readonly #replica: Replica<T>;
  /** What the replica has. Kept only while reads are stale. */
  readonly #ids = new Set<string>();

  /** @param parts.current all objects as they are, by id */
  constructor(parts: { readonly clock: Clock; readonly random: Random; readonly current: () => ReadonlyMap<string, T> }) {
    this.#current = parts.current;
    this.#replica = new Replica(parts.clock, parts.random, NO_LAG);
  }

  /** Delays when changes become visible, from now on, until undone. */
  delay(delay: Parameters<Replica<T>['delay']>[0]): Heal {
    if (!this.#replica.isDelayed) {
      for (const id of this.#ids) this.#replica.forget(id);
      this.#ids.clear();
      for (const [id, value] of this.#current()) {
        this.#ids.add(id);
        this.#replica.found(id, value);
      }
    }
    return this.#replica.delay(delay);
  }

  /** An object changed; `undefined`: it was deleted. */
  write(id: string, value: () => T | undefined): void {
    if (!this.#replica.isDelayed) return;
    this.#ids.add(id);
    this.#replica.write(id, value());
  }

  /** What a request shows of all objects as it sees them, in no particular order. @param part what it shows of one, if anything */
  all<Part>({ principal, span }: Caller, part: (value: T) => readonly Part[]): readonly Part[] {
    if (principal !== 'target' || !this.#replica.isDelayed) return [...this.#current().values()].flatMap(part);
    return [...this.#ids].flatMap((id) => {
      const value = this.#replica.read(id, span, part);
      return value === undefined ? [] : part(value);
    });
  }
}

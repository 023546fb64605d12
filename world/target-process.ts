import type { ClockScope } from '../runtime/clock.ts';
import type { Heal, ProcessPort } from './ports.ts';

/** The process of a target that runs inside this one: it can be stopped, and its clock skewed. */
export class TargetProcess implements ProcessPort {
  readonly #skews = new Set<Parameters<ProcessPort['skewClock']>[0]>();
  /** Of all incarnations: in a handover the one before the latest still runs. */
  readonly #scopes: ClockScope[] = [];

  /** Starts an incarnation: its machine's clock stays skewed as for the last one. */
  begin(scope: ClockScope): void {
    this.#scopes.push(scope);
    for (const skew of this.#skews) begin(skew, scope);
  }

  pause({ fired }: Parameters<ProcessPort['pause']>[0]): Heal {
    return this.#scopes.at(-1)?.pause(fired) ?? (() => undefined);
  }

  skewClock(skew: Parameters<ProcessPort['skewClock']>[0]): Heal {
    const armed = { ...skew };
    this.#skews.add(armed);
    // The latest, and all that start before it is healed.
    const first = Math.max(0, this.#scopes.length - 1);
    const latest = this.#scopes[first];
    if (latest !== undefined) begin(armed, latest);
    return () => {
      this.#skews.delete(armed);
      for (const scope of this.#scopes.slice(first)) scope.skew(-armed.byMs);
    };
  }
}

function begin({ byMs, fired }: Parameters<ProcessPort['skewClock']>[0], scope: ClockScope): void {
  scope.skew(byMs);
  fired();
}

import type { ClockScope } from '../runtime/clock.ts';
import type { Heal, ProcessPort } from './ports.ts';

/** The process of a target that runs inside this one: it can be stopped, and its clock skewed. */
export class TargetProcess implements ProcessPort {
  readonly #skews = new Set<Parameters<ProcessPort['skewClock']>[0]>();
  /** Of the latest incarnation. */
  #scope: ClockScope | undefined;
  /** Of all of them: in a handover the one before still runs. */
  readonly #scopes: ClockScope[] = [];

  /** Starts an incarnation: its machine's clock stays skewed as for the last one. */
  begin(scope: ClockScope): void {
    this.#scope = scope;
    this.#scopes.push(scope);
    for (const skew of this.#skews) begin(skew, scope);
  }

  pause({ fired }: Parameters<ProcessPort['pause']>[0]): Heal {
    return this.#scope?.pause(fired) ?? (() => undefined);
  }

  skewClock(skew: Parameters<ProcessPort['skewClock']>[0]): Heal {
    const armed = { ...skew };
    this.#skews.add(armed);
    const already = this.#scopes.length;
    if (this.#scope !== undefined) begin(armed, this.#scope);
    return () => {
      this.#skews.delete(armed);
      for (const scope of this.#scopes.slice(Math.max(0, already - 1))) scope.skew(-armed.byMs);
    };
  }
}

function begin({ byMs, fired }: Parameters<ProcessPort['skewClock']>[0], scope: ClockScope): void {
  scope.skew(byMs);
  fired();
}

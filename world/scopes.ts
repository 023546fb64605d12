import type { ClockScope, Timeline } from '../runtime/clock.ts';

/** The clocks of a world's own parts. */
export interface Scopes {
  /** Creates one, for a named owner. */
  readonly scope: (owner: string) => ClockScope;
  /** Stops them all: pending boots and terminations would keep a process in real time alive. */
  kill(): void;
}

export function createScopes(timeline: Timeline): Scopes {
  const made: ClockScope[] = [];
  return {
    scope: (owner) => {
      const scope = timeline.scope(owner);
      made.push(scope);
      return scope;
    },
    kill: () => {
      for (const scope of made) scope.kill();
    },
  };
}

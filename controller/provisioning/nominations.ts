import type { Clock } from '../../runtime/clock.ts';

/** Nodes and claims to which pending pods were nominated recently: they only look empty. */
export interface Nominations {
  /** @param name of the Node, or of the claim if there is no Node yet */
  nominate(name: string): void;
  has(name: string): boolean;
}

/** @param holdsMs how long a nomination is valid */
export function createNominations(clock: Clock, holdsMs: number): Nominations {
  /** In the order in which they end. */
  const untilMs = new Map<string, number>();
  return {
    nominate: (name) => {
      for (const [known, ms] of untilMs) {
        if (ms > clock.monotonicMs()) break;
        untilMs.delete(known);
      }
      untilMs.delete(name);
      untilMs.set(name, clock.monotonicMs() + holdsMs);
    },
    has: (name) => (untilMs.get(name) ?? -Infinity) > clock.monotonicMs(),
  };
}

import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { FLEET_ANSWERS_MAX } from '../constants.ts';
import { backoffMs } from '../core/backoff.ts';
import type { Attempt } from './attempt.ts';
import type { FleetOutcome } from './fleet-outcome.ts';

/** A request that was sent for several claims. */
export interface FleetAnswer {
  /** The leader's attempt, as it was sent. */
  readonly attempt: Attempt;
  readonly outcome: Promise<FleetOutcome>;
}

/** A request that failed and has to be repeated. */
interface Failing {
  readonly failures: number;
  readonly nextFromMs: number;
}

/** Lets all claims of a fleet share one request, and its repetitions if it fails. */
export class FleetAnswers {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By token: on their way, or the last ones that arrived. */
  readonly #answers = new Map<string, FleetAnswer>();
  /** By token: the last ones. */
  readonly #failing = new Map<string, Failing>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get(token: string): FleetAnswer | undefined {
    return this.#answers.get(token);
  }

  /** How long until a failed request may be repeated, in ms; 0 if it may be now. */
  waitMs(token: string): number {
    return Math.max(0, (this.#failing.get(token)?.nextFromMs ?? 0) - this.#clock.monotonicMs());
  }

  /** Sends a request that is not on its way. */
  send(token: string, attempt: Attempt, work: () => Promise<FleetOutcome>): FleetAnswer {
    const answer = { attempt, outcome: work() };
    remember(this.#answers, token, answer);
    answer.outcome.then(
      () => this.#failing.delete(token),
      () => {
        this.#answers.delete(token);
        const failures = this.#failing.get(token)?.failures ?? 0;
        const nextFromMs = this.#clock.monotonicMs() + backoffMs(failures, this.#random);
        remember(this.#failing, token, { failures: failures + 1, nextFromMs });
      },
    );
    return answer;
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > FLEET_ANSWERS_MAX && oldest !== undefined) map.delete(oldest);
}

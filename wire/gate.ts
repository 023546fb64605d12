import type { Effect, Operation } from '../model/operation.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { Caller } from './backend.ts';
import type { Injection, Matcher, Moment, ObjectRewrite, RewriteInjection, StrikeInjection, When, WireEffect } from './effects.ts';

/** An effect that strikes one request; call `fired` when it has. */
export interface Strike {
  readonly effect: WireEffect;
  readonly fired: () => void;
  /** Aborted when the injection is removed: delayed requests go on. */
  readonly healed: AbortSignal;
}

interface Armed {
  readonly injection: StrikeInjection;
  readonly armedAtMs: number;
  readonly random: Random;
  readonly healing: AbortController;
  matched: number;
}

/** The fault gate of a world's wires: decides which requests are struck. All wires of the world share one gate. */
export class Gate {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #armed = new Set<Armed>();
  readonly #rewrites = new Set<RewriteInjection>();
  #injections = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Arms an injection; the returned function removes it. */
  arm(injection: Injection): () => void {
    return 'rewrite' in injection ? this.#armRewrite(injection) : this.#armStrike(injection);
  }

  #armRewrite(injection: RewriteInjection): () => void {
    const armed = { ...injection };
    this.#rewrites.add(armed);
    return () => {
      this.#rewrites.delete(armed);
    };
  }

  #armStrike(injection: StrikeInjection): () => void {
    // An injection for one known request draws no random numbers, so it must not shift the streams of the others.
    if (injection.trigger.match.span === undefined) this.#injections += 1;
    const armed: Armed = {
      injection,
      armedAtMs: this.#clock.nowMs(),
      random: this.#random.fork(`injection ${this.#injections}`),
      healing: new AbortController(),
      matched: 0,
    };
    this.#armed.add(armed);
    return () => {
      this.#armed.delete(armed);
      armed.healing.abort(new Error('healed'));
    };
  }

  /**
   * The effects that strike this request at this moment, in the order in which they were armed. An injection counts the
   * request only when it is reached: if the caller stops iterating because the request has ended, later ones don't count it.
   */
  *consult(moment: Moment, operation: Operation, caller: Caller, effect: Effect): Generator<Strike, void, undefined> {
    for (const armed of [...this.#armed]) {
      const { trigger } = armed.injection;
      if (!this.#armed.has(armed) || trigger.moment !== moment || !matches(trigger.match, operation, caller, effect)) continue;
      armed.matched += 1;
      if (!this.#isDue(trigger.when, armed)) continue;
      yield {
        effect: armed.injection.effect,
        fired: () => armed.injection.fired(caller.span),
        healed: armed.healing.signal,
      };
    }
  }

  /** The rewrites that apply now to the answer to this request, in the order in which they were armed. */
  rewrites(operation: Operation, caller: Caller): { readonly rewrite: ObjectRewrite; readonly fired: () => void }[] {
    if (operation.wire !== 'kube') return [];
    return [...this.#rewrites].flatMap(({ match, rewrite, fired }) =>
      matches(match, operation, caller, { kind: 'none' }) ? [{ rewrite, fired: () => fired(caller.span) }] : [],
    );
  }

  #isDue(when: When, armed: Armed): boolean {
    switch (when.kind) {
      case 'always':
        return true;
      case 'first':
        return armed.matched <= when.count;
      case 'every':
        return armed.matched % when.nth === 0;
      case 'nth':
        return armed.matched === when.nth;
      case 'probability':
        return armed.random.chance(when.probability);
      case 'window': {
        const sinceMs = this.#clock.nowMs() - armed.armedAtMs;
        return sinceMs >= when.fromMs && sinceMs < when.toMs;
      }
    }
  }
}

function matches(match: Matcher, operation: Operation, caller: Caller, effect: Effect): boolean {
  return (
    caller.principal === (match.principal ?? 'target') &&
    (match.operations.includes('*') || match.operations.includes(operation.name)) &&
    (match.applied !== true || effect.kind === 'applied') &&
    (match.span === undefined || match.span === caller.span) &&
    (match.where?.(operation) ?? true)
  );
}

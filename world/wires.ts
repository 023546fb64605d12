import { defined } from '../model/defined.ts';
import type { Operation, Principal, WireName } from '../model/operation.ts';
import type { Clock, ClockScope } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { Backend } from '../wire/backend.ts';
import { openChain } from '../wire/chain.ts';
import type { Chain, ChainSite } from '../wire/chain.ts';
import type { Gate } from '../wire/gate.ts';
import type { Wires, WorldSite } from './world.ts';

/** The dependencies of a world's wires. */
interface WiresSite {
  readonly site: Pick<WorldSite, 'random' | 'recorder' | 'onKill' | 'onFailure' | 'onFlood' | 'maxRequests'>;
  /** The world's own: it keeps running when a caller dies. */
  readonly clock: Clock;
  readonly gate: Gate;
  readonly backends: Readonly<Record<WireName, Backend>>;
  /** The latency of a request. @param random of one wire of one caller */
  readonly latencyMs: (random: Random, operation: Operation) => ReturnType<ChainSite['latencyMs']>;
  /** The user that the target is to the API server, where roles say what it may do. */
  readonly targetUser?: string;
}

/** Opens a world's wires, with one gate, one order of spans, and one count of the target's requests for all of them. */
export class WireFactory {
  readonly #parts: WiresSite;
  #spans = 0;
  #requestsOfTarget = 0;

  constructor(parts: WiresSite) {
    this.#parts = parts;
  }

  open(principal: Principal, incarnation: number, caller: ClockScope): Wires {
    const kube = this.#chain('kube', principal, incarnation, caller);
    const aws = this.#chain('aws', principal, incarnation, caller);
    return {
      kube: kube.wire,
      aws: aws.wire,
      close: () => {
        kube.close();
        aws.close();
      },
    };
  }

  #chain(wire: WireName, principal: Principal, incarnation: number, scope: ClockScope): Chain {
    const { site, clock, gate, backends, latencyMs, targetUser } = this.#parts;
    const latencies = site.random.fork(`latency of ${wire} for ${principal} ${incarnation}`);
    return openChain({
      wire,
      backend: backends[wire],
      gate,
      recorder: site.recorder,
      clock,
      scope,
      principal,
      incarnation,
      ...defined({ user: principal === 'target' ? targetUser : undefined }),
      latencyMs: (operation) => latencyMs(latencies, operation),
      nextSpan: () => (this.#spans += 1),
      onKill: (reason) => site.onKill(principal, incarnation, reason),
      countRequest: () => (this.#requestsOfTarget += 1),
      ...defined({ maxRequests: site.maxRequests }),
      onFlood: site.onFlood,
      onFailure: site.onFailure,
    });
  }
}

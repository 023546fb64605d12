import type { EventOf, NewEvent, Recorder } from '../history/events.ts';
import type { NamedOffering } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { formatObject, isWatch } from '../model/operation.ts';
import type { Effect, Operation, Principal, WireName } from '../model/operation.ts';
import { never } from '../runtime/clock.ts';
import type { Clock, ClockScope } from '../runtime/clock.ts';
import { Roster } from '../runtime/roster.ts';
import type { Answer, Backend, Caller, WholeAnswer } from './backend.ts';
import type { Gate, Strike } from './gate.ts';
import { LINES, TEXT, isJson, lastRevision, rewriteAnswer, wholeLines } from './objects.ts';
import type { Delivery, Reading } from './objects.ts';
import type { ObjectRewrite } from './effects.ts';
import { MAX_ANSWER_BYTES, WireError, changed, isStreamed, readWhole, textsOf } from './wire.ts';
import type { Bytes, Line, Wire, WireRequest, WireResponse } from './wire.ts';

/** A target that has more requests in flight than this is flooding the API, not using it. */
const MAX_REQUESTS_IN_FLIGHT = 2_000;
/** Longest error message kept in a history, in characters. */
const MAX_MESSAGE_LENGTH = 400;
/** Requests that a target may send in a trial of a small cluster. */
export const MAX_REQUESTS = 100_000;
/** A watch's progress is recorded at most this often. */
const WATCH_MARK_PERIOD_MS = 10_000;

/** How long the parts of a request take. */
interface Latency {
  readonly thereMs: number;
  /** The operation itself; zero for a refused request. */
  readonly workMs: number;
  readonly backMs: number;
}

/** What a chain needs. */
export interface ChainSite {
  readonly wire: WireName;
  readonly backend: Backend;
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** The world's own clock: it goes on when the caller dies. */
  readonly clock: Clock;
  /** The caller's clock: dead callers get no answers. */
  readonly scope: ClockScope;
  readonly principal: Principal;
  readonly incarnation: number;
  /** The user that the caller is to the API server, where roles say what it may do. */
  readonly user?: string;
  /**
   * Draws the latency of the request, of its operation, and of the answer.
   * Undefined where the backend itself takes time: then nothing is added.
   */
  readonly latencyMs: (operation: Operation) => Latency | undefined;
  readonly nextSpan: () => number;
  readonly onKill: (reason: string) => void;
  /** Counts one more request of the target. Returns the number so far in this trial, over its wires and incarnations. */
  readonly countRequest: () => number;
  /** A target that sends more is flooding the API. By default `MAX_REQUESTS`. */
  readonly maxRequests?: number;
  readonly onFlood: (message: string) => void;
  /** Called when the backend fails with anything but a WireError: a bug in the world. */
  readonly onFailure: (error: Error) => void;
}

/** One principal's connection to one service. */
export interface Chain {
  readonly wire: Wire;
  /** Breaks every open watch: the caller is dead. */
  close(): void;
}

/**
 * Opens a wire: seen -> gate -> effect -> backend. Each request of the target leaves three events tied by a span:
 * `request.start` is what was sent, `request.effect` what it did, `request.end` what the target got back.
 */
export function openChain(site: ChainSite): Chain {
  const inBackend: InBackend = { requests: new Roster(), closedFor: undefined };
  let inFlight = 0;
  const limit = (): void => {
    if (site.principal !== 'target') return;
    if (inFlight > MAX_REQUESTS_IN_FLIGHT) site.onFlood(`the target has more than ${MAX_REQUESTS_IN_FLIGHT} requests in flight at once`);
    const { maxRequests = MAX_REQUESTS } = site;
    if (site.countRequest() > maxRequests) site.onFlood(`the target has sent more than ${maxRequests} requests in this trial`);
  };
  const wire: Wire = async (request) => {
    if (site.scope.killed) return never();
    inFlight += 1;
    limit();
    try {
      const response = await new ChainedRequest(site, request, inBackend).run();
      if (site.scope.killed) return await never<WireResponse>();
      site.scope.handover();
      return response;
    } catch (error) {
      if (!(error instanceof WireError)) site.onFailure(error instanceof Error ? error : new Error(String(error)));
      // A bug in the world must not look like a broken connection to the target.
      if (site.scope.killed || !(error instanceof WireError)) return await never<WireResponse>();
      site.scope.handover();
      throw error;
    } finally {
      inFlight -= 1;
    }
  };
  const close = (): void => {
    inBackend.closedFor = new WireError('ECONNRESET', 'the caller is dead');
    for (const abandon of inBackend.requests) abandon(inBackend.closedFor);
  };
  return { wire, close };
}

/** The requests that are with the backend, each as what abandons it when the chain is closed. */
interface InBackend {
  readonly requests: Roster<(reason: unknown) => void>;
  /** Why the chain was closed, if it was. */
  closedFor: WireError | undefined;
}

/** One request on its way through the chain. */
class ChainedRequest {
  readonly #site: ChainSite;
  readonly #request: WireRequest;
  readonly #inBackend: InBackend;
  readonly #operation: Operation;
  readonly #caller: Caller;
  /** Only the target's requests are recorded; those of the world's own parts show as the transitions that they cause. */
  readonly #recorded: boolean;
  #effectRecorded = false;
  /** Aborted when the answer will never be delivered, so that the backend closes a watch. */
  readonly #undeliverable = new AbortController();
  /** Leaves the requests that are with the backend. */
  #leave: () => void = () => undefined;
  readonly #onGivenUp = (): void => this.#abandon(this.#request.signal?.reason);
  /** A note on the request for the history. */
  #remark: string | undefined;

  constructor(site: ChainSite, request: WireRequest, inBackend: InBackend) {
    this.#site = site;
    this.#request = request;
    this.#inBackend = inBackend;
    this.#operation = site.backend.describe(request);
    const { principal, incarnation, user } = site;
    this.#caller = { principal, incarnation, span: site.nextSpan(), ...defined({ user }) };
    this.#recorded = site.principal === 'target';
  }

  async run(): Promise<WireResponse> {
    this.#recordStart();
    let isFollowed = false;
    try {
      const response = await this.#pass();
      isFollowed = isStreamed(response);
      return response;
    } catch (error) {
      if (!(error instanceof WireError)) this.#recordUnknown(undefined, 'the world failed');
      throw error;
    } finally {
      if (!isFollowed) this.#stopListeningForEnds();
    }
  }

  /** Abandons the request when the caller is dead, or gives up. `AbortSignal.any` would cost more than the rest of the request. */
  #listenForEnds(): void {
    const { closedFor, requests } = this.#inBackend;
    const { signal } = this.#request;
    if (closedFor !== undefined) this.#abandon(closedFor);
    else if (signal?.aborted === true) this.#onGivenUp();
    this.#leave = requests.join((reason) => this.#abandon(reason));
    signal?.addEventListener('abort', this.#onGivenUp);
  }

  #stopListeningForEnds(): void {
    this.#leave();
    this.#request.signal?.removeEventListener('abort', this.#onGivenUp);
  }

  async #pass(): Promise<WireResponse> {
    const { clock } = this.#site;
    const latency = this.#site.latencyMs(this.#operation);
    if (latency !== undefined) await clock.sleep(latency.thereMs);

    const nothing: Effect = { kind: 'none' };
    let answered: WireResponse | undefined;
    for (const strike of this.#consult('before', nothing)) {
      answered = await this.#strike(strike, nothing, answered);
      if (answered !== undefined) break;
    }

    let effect: Effect = nothing;
    let response = answered;
    if (response === undefined) {
      const answer = await this.#execute();
      effect = answer.effect;
      response = answer;
    }
    this.#recordEffect(effect);
    if (answered === undefined) {
      if (latency !== undefined && effect.kind !== 'rejected') await clock.sleep(latency.workMs);
      for (const strike of this.#consult('after', effect)) {
        // The server must not wait for the reader of an answer that is held back: it would break the connection.
        if (strike.effect.kind === 'delay') response = await this.#readAll(response);
        response = (await this.#strike(strike, effect, response)) ?? response;
        if (strike.effect.kind === 'refuse') break;
      }
    }
    if (latency !== undefined) await clock.sleep(latency.backMs);
    if (isStreamed(response) && isJson(response) && this.#rewrites().length > 0) response = await this.#readAll(response);
    return this.#deliver(response, effect);
  }

  /** No effect applies to the requests of a dead caller: it could not receive the result. */
  *#consult(moment: 'before' | 'after', effect: Effect): Generator<Strike, void, undefined> {
    if (this.#site.scope.killed) return;
    yield* this.#site.gate.consult(moment, this.#operation, this.#caller, effect);
  }

  async #execute(): Promise<Answer> {
    const { signal } = this.#undeliverable;
    this.#listenForEnds();
    try {
      const { backend } = this.#site;
      // Only the target's answers are read on their way.
      const readable = this.#recorded ? backend.readable?.(this.#request, this.#operation, () => this.#rewrites().length > 0) : undefined;
      this.#remark = readable?.remark;
      const request = changed(this.#request, { headers: readable?.headers ?? this.#request.headers, signal });
      return await backend.handle(request, this.#operation, this.#caller);
    } catch (error) {
      if (error instanceof WireError) this.#recordUnknown(error.code, error.message);
      throw error;
    }
  }

  /** Reads an answer to its end, except a watch. */
  async #readAll(response: WireResponse): Promise<WireResponse> {
    if (!isStreamed(response) || isWatch(this.#operation)) return response;
    try {
      return { ...response, body: await readWhole(response.body, MAX_ANSWER_BYTES) };
    } catch (error) {
      if (error instanceof WireError) this.#recordUnknown(error.code, error.message);
      throw error;
    }
  }

  /** Ends a request whose effect is unknown. */
  #recordUnknown(code: string | undefined, note: string): void {
    this.#recordEffect({ kind: 'unobservable' });
    this.#recordEnd('info', undefined, code, note);
  }

  /** Applies one effect. Returns the answer after it, if there is one by now; throws or never returns where the effect leaves none. */
  async #strike(strike: Strike, effect: Effect, response: WireResponse | undefined): Promise<WireResponse | undefined> {
    const { clock } = this.#site;
    switch (strike.effect.kind) {
      case 'delay':
        strike.fired();
        await clock.sleep(strike.effect.delayMs, strike.healed).catch((error: unknown) => {
          if (!strike.healed.aborted) throw error;
        });
        return response;
      case 'refuse': {
        strike.fired();
        this.#abandon();
        const { refusal } = strike.effect;
        return this.#site.backend.refuse(this.#operation, typeof refusal === 'function' ? refusal(this.#operation, this.#caller) : refusal);
      }
      case 'break':
        strike.fired();
        this.#abandon();
        this.#recordEffect(effect);
        this.#recordEnd('info', undefined, strike.effect.code, 'the connection broke');
        throw new WireError(strike.effect.code, `the connection broke during ${this.#operation.name}`);
      case 'kill':
        strike.fired();
        this.#abandon();
        this.#recordEffect(effect);
        this.#recordEnd('info', undefined, undefined, 'the target was killed');
        this.#site.onKill(`at ${this.#operation.name}`);
        return never();
    }
  }

  /** Aborts what the backend still does for this request. */
  #abandon(reason: unknown = new WireError('ECONNRESET', 'the answer was not delivered')): void {
    this.#undeliverable.abort(reason);
  }

  #deliver(answer: WireResponse, effect: Effect): WireResponse {
    const { signal } = this.#request;
    if (this.#site.scope.killed || signal?.aborted === true) {
      this.#abandon();
      this.#recordEnd(
        'info',
        answer.status,
        undefined,
        signal?.aborted === true ? 'the target had given up waiting' : 'the target is dead',
      );
      return answer;
    }
    if (isStreamed(answer)) {
      if (!isWatch(this.#operation)) return { ...answer, body: this.#relay(answer.status, answer.body) };
      this.#recordEnd('ok', answer.status, undefined, this.#remark);
      if (answer.lines !== undefined) {
        const lines = this.#follow(answer.lines, LINES);
        return { ...answer, body: textsOf(lines), lines };
      }
      return { ...answer, body: isJson(answer) ? this.#follow(wholeLines(answer.body), TEXT) : this.#follow(answer.body, undefined) };
    }
    let response = answer;
    for (const { rewrite, fired } of this.#rewrites()) response = rewriteAnswer(response, firing(rewrite, fired));
    const { status } = answer;
    // Its body is whole: it is not streamed.
    const { code, note, refused } = this.#recorded ? this.#site.backend.describeAnswer(this.#operation, answer as WholeAnswer) : {};
    const isLost = status >= 500 && effect.kind === 'applied';
    const outcome = isLost ? 'info' : status < 400 ? 'ok' : 'fail';
    this.#recordEnd(outcome, status, code, status < 400 ? (this.#remark ?? note) : note?.slice(0, MAX_MESSAGE_LENGTH), refused);
    return response;
  }

  #rewrites(): ReturnType<Gate['rewrites']> {
    return this.#site.gate.rewrites(this.#operation, this.#caller);
  }

  /** Passes on an answer that nothing here reads. The request ends with it: only then has the target got its answer. */
  async *#relay(status: number, body: AsyncIterable<Bytes>): AsyncIterable<Bytes> {
    const { scope } = this.#site;
    let end = (): void =>
      this.#recordEnd('info', status, undefined, scope.killed ? 'the target is dead' : 'the target had given up waiting');
    try {
      for await (const chunk of body) {
        if (scope.killed) break;
        scope.handover();
        yield chunk;
      }
      if (!scope.killed) end = () => this.#recordEnd('ok', status, undefined, this.#remark);
    } catch (error) {
      if (error instanceof WireError && this.#request.signal?.aborted !== true) end = () => this.#recordUnknown(error.code, error.message);
      scope.handover();
      if (!scope.killed) throw error;
    } finally {
      this.#stopListeningForEnds();
      end();
    }
    // A dead program must not see the end of the answer either.
    if (scope.killed) await never();
    scope.handover();
  }

  /** Passes a watch on and records how far it has been delivered. One that can't be read is passed on as it is. */
  async *#follow<Part extends Bytes | Line>(parts: AsyncIterable<Part>, reading: Reading<Part> | undefined): AsyncIterable<Part> {
    const { span, principal, incarnation } = this.#caller;
    const object = this.#operation.object === undefined ? this.#operation.name : formatObject(this.#operation.object);
    this.#record({ type: 'watch.open', span, principal, incarnation, object });
    let delivered: Delivery = { events: 0, last: '' };
    let markedAtMs = this.#site.clock.nowMs();
    const { scope } = this.#site;
    const mark = (): void => {
      const { events } = delivered;
      if (events > 0) this.#record({ type: 'watch.mark', span, events, revision: lastRevision(delivered) });
      markedAtMs = this.#site.clock.nowMs();
    };
    let isClosed = false;
    const close = (reason: string): void => {
      if (isClosed) return;
      isClosed = true;
      mark();
      const isGivenUp = this.#request.signal?.aborted === true;
      this.#record({
        type: 'watch.close',
        span,
        reason: scope.killed ? 'the target is dead' : isGivenUp ? 'closed by the target' : reason,
      });
    };
    try {
      for await (const part of parts) {
        if (scope.killed) break;
        if (reading === undefined) {
          yield part;
          continue;
        }
        delivered = reading.note(delivered, part);
        if (this.#site.clock.nowMs() - markedAtMs >= WATCH_MARK_PERIOD_MS) mark();
        let rewritten = part;
        for (const { rewrite, fired } of this.#rewrites()) rewritten = reading.rewrite(rewritten, firing(rewrite, fired));
        scope.handover();
        yield rewritten;
      }
      close('closed by the server');
    } catch (error) {
      close(error instanceof Error ? error.message : String(error));
      scope.handover();
      if (!scope.killed) throw error;
    } finally {
      this.#stopListeningForEnds();
      close('closed by the target');
    }
    // A dead program must not see the end of the stream either.
    if (scope.killed) await never();
    scope.handover();
  }

  #recordStart(): void {
    const { principal, incarnation, span } = this.#caller;
    const { wire, name, mutating, object, input } = this.#operation;
    this.#record({
      type: 'request.start',
      span,
      wire,
      principal,
      incarnation,
      operation: name,
      mutating,
      ...defined({ object: object && formatObject(object), input: input as EventOf<'request.start'>['input'] }),
    });
  }

  /** Records the effect once for each request, as soon as it is known. */
  #recordEffect(effect: Effect): void {
    if (this.#effectRecorded) return;
    this.#effectRecorded = true;
    this.#record({ type: 'request.effect', span: this.#caller.span, effect: { ...effect } as EventOf<'request.effect'>['effect'] });
  }

  #recordEnd(
    outcome: 'ok' | 'fail' | 'info',
    status: number | undefined,
    code: string | undefined,
    note: string | undefined,
    refused?: readonly NamedOffering[],
  ): void {
    this.#record({
      type: 'request.end',
      span: this.#caller.span,
      outcome,
      ...defined({ status, code, note, refused: refused?.slice() }),
    });
  }

  #record(event: NewEvent): void {
    if (this.#recorded) this.#site.recorder.record(event);
  }
}

/** Wraps a rewrite to report each change. */
function firing(rewrite: ObjectRewrite, fired: () => void): ObjectRewrite {
  return (object) => {
    const rewritten = rewrite(object);
    if (rewritten !== object) fired();
    return rewritten;
  };
}

import { defined } from '../model/defined.ts';
import type { Clock } from '../runtime/clock.ts';
import { WireError, changed, readText } from '../wire/wire.ts';
import type { Wire, WireRequest } from '../wire/wire.ts';

/** An answer with its whole body. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** What the client would read from the text, which is then empty: it need not be written. */
  readonly decoded?: object;
}

/**
 * Sends one request and reads its whole answer, for at most `timeoutMs` on the clock. Must run within `clock.call`: the
 * wait is parked, so that virtual time may pass meanwhile.
 * @throws WireError when the connection broke; ETIMEDOUT after `timeoutMs`
 */
export function exchange(wire: Wire, clock: Clock, request: WireRequest, timeoutMs: number): Promise<WholeResponse> {
  const what = `${request.method} ${request.path}`;
  return clock.park(withDeadline(clock, timeoutMs, what, (late) => readWhole(wire, withSignal(request, late))));
}

/** The same request, aborted by its own signal or by this one. */
export function withSignal(request: WireRequest, signal: AbortSignal): WireRequest {
  return changed(request, { signal: request.signal === undefined ? signal : AbortSignal.any([request.signal, signal]) });
}

async function readWhole(wire: Wire, request: WireRequest): Promise<WholeResponse> {
  const response = await wire(request);
  const { status, headers, decoded } = response;
  return { status, headers, ...defined({ decoded }), text: await readText(decoded === undefined ? response.body : '') };
}

/**
 * Limits `work` to `timeoutMs`: then aborts its signal and rejects with ETIMEDOUT. Whether the request took effect is then
 * unknown.
 */
export function withDeadline<T>(clock: Clock, timeoutMs: number, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const givingUp = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => {
      const timeout = new WireError('ETIMEDOUT', `no answer to ${what} within ${timeoutMs} ms`);
      reject(timeout);
      givingUp.abort(timeout);
    });
    work(givingUp.signal).finally(cancel).then(resolve, reject);
  });
}

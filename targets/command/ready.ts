import type { Clock } from '../../runtime/clock.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import { ProgramError } from '../target.ts';
import type { TargetFile } from './target-file.ts';

/** Period of HTTP readiness probes: a kubelet probes every second, but a trial should know sooner. */
const PROBE_PERIOD_MS = 250;

/** What a readiness probe can observe of a program. */
export interface ProbeSite {
  readonly clock: Clock;
  /** Resolves when the program's output contains this text. */
  readonly said: (text: string) => Promise<void>;
  /** The status of a response to GET; 0 without a response. By default over the machine's network. */
  readonly statusOf?: (url: string, signal: AbortSignal) => Promise<number>;
}

/**
 * Resolves when the program passes its readiness probe: by HTTP with a status from 200 to 399, as for a kubelet.
 * @throws ProgramError when it does not within the probe's limit
 */
export async function untilReady(probe: TargetFile['ready'], { clock, said, statusOf }: ProbeSite): Promise<void> {
  if ('delay' in probe) return clock.sleep(probe.delay);
  const over = new AbortController();
  const limit = clock.sleep(probe.within, over.signal).then(() => Promise.reject(new ProgramError(describe(probe))));
  const passed = 'log' in probe ? said(probe.log) : untilAnswered(probe.http, clock, over.signal, statusOf);
  try {
    await Promise.race([passed, limit]);
  } finally {
    passed.catch(() => undefined);
    limit.catch(() => undefined);
    over.abort(new Error('the probe is over'));
  }
}

function describe(probe: Exclude<TargetFile['ready'], { delay: number }>): string {
  const what = 'log' in probe ? `it did not log "${probe.log}"` : `no healthy response from ${probe.http}`;
  return `${what} within ${probe.within / 1000} s of its start`;
}

async function untilAnswered(address: string, clock: Clock, over: AbortSignal, statusOf: ProbeSite['statusOf']): Promise<void> {
  const { origin, pathname, search } = new URL(address);
  const http = statusOf === undefined ? createHttpWire({ baseUrl: origin }) : undefined;
  const ask = async (): Promise<number> => {
    if (http === undefined) return statusOf?.(address, over) ?? 0;
    return (await http.wire({ method: 'GET', path: `${pathname}${search}`, headers: {}, signal: over })).status;
  };
  try {
    while (!over.aborted) {
      const status = await ask().catch(() => 0);
      if (status >= 200 && status < 400) return;
      await clock.sleep(PROBE_PERIOD_MS, over);
    }
  } finally {
    http?.destroy();
  }
}

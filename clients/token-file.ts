import { readFileSync } from 'node:fs';
import type { Clock } from '../runtime/clock.ts';
import type { Wire } from '../wire/wire.ts';

/** A token that was read is used for so long: a minute, less ten seconds of leeway. */
const TOKEN_PERIOD_MS = 50_000;

/** The bearer token in a file. @throws Error when there is none */
export function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`the token file ${path} is empty`);
  return token;
}

/**
 * Gives each request the bearer token that a file holds, and reads the file again every minute and after a 401: tokens of
 * pods end after an hour, and the kubelet writes new ones in time. While the file can't be read the last token stays in use.
 * Source: client-go, `transport/token_source.go` (NewCachedFileTokenSource, ResetTokenOlderThan).
 * @throws Error when the file can't be read at the start
 */
export function withTokenFile(path: string, wire: Wire, clock: Pick<Clock, 'nowMs'>): Wire {
  let token = readToken(path);
  let readAtMs = clock.nowMs();
  let isRefused = false;
  const current = (): string => {
    if (!isRefused && clock.nowMs() < readAtMs + TOKEN_PERIOD_MS) return token;
    try {
      token = readToken(path);
      readAtMs = clock.nowMs();
      isRefused = false;
    } catch {
      // It may be about to be written.
    }
    return token;
  };
  return async (request) => {
    const startMs = clock.nowMs();
    const response = await wire({ ...request, headers: { ...request.headers, authorization: `Bearer ${current()}` } });
    // One that was read meanwhile is not to blame.
    if (response.status === 401 && readAtMs <= startMs) isRefused = true;
    return response;
  };
}

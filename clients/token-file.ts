import { readFileSync } from 'node:fs';
import type { Clock } from '../runtime/clock.ts';
import type { Wire } from '../wire/wire.ts';

/** How long a token is used before the file is read again: a minute, less ten seconds of leeway. */
const TOKEN_PERIOD_MS = 50_000;

/** The bearer token in a file. @throws Error when there is none */
export function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`the token file ${path} is empty`);
  return token;
}

/**
 * Adds the bearer token in a file to each request, and reads the file again every minute and after a 401: tokens of pods expire
 * after an hour, and the kubelet writes new ones in time. While the file can't be read, the last token stays in use.
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
      // The file may be about to be written: keep the last token.
    }
    return token;
  };
  return async (request) => {
    const startMs = clock.nowMs();
    const response = await wire({ ...request, headers: { ...request.headers, authorization: `Bearer ${current()}` } });
    // A token that was read after the request was sent was not the refused one.
    if (response.status === 401 && readAtMs <= startMs) isRefused = true;
    return response;
  };
}

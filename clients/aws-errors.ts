import { ServiceException } from '@smithy/core/client';
import { defined } from '../model/defined.ts';
import { WireError } from '../wire/wire.ts';
import type { Failure } from './retry.ts';

/** How the attempt failed, from an SDK client's error; undefined if the error does not come from AWS or the wire. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof WireError) return { code: error.code, status: 0 };
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { httpStatusCode, clockSkewCorrected } = error.$metadata as { httpStatusCode?: number; clockSkewCorrected?: boolean };
  if (httpStatusCode === undefined) return undefined;
  const hint = '$response' in error ? retryAfterMs(error.$response) : undefined;
  return {
    // The SDK names an error after the service's code. If the answer is not an error document, the error is the parser's.
    code: error instanceof ServiceException ? error.name : 'UnreadableAnswer',
    status: httpStatusCode,
    ...defined({ retryAfterMs: hint }),
    ...(clockSkewCorrected === true ? { clockCorrected: true } : {}),
  };
}

/**
 * The error as callers see it: `make` puts code, status and message into the service's own class. Errors that do not come
 * from AWS or the wire (a bug) stay as they are.
 */
export function toServiceError(error: unknown, make: (code: string, status: number, message: string) => Error): unknown {
  const failure = failureOf(error);
  if (failure === undefined || !(error instanceof Error)) return error;
  // A success answer that can't be parsed: whether the request took effect is unknown.
  return make(failure.code, failure.status < 300 ? 0 : failure.status, error.message);
}

function retryAfterMs(response: unknown): number | undefined {
  const headers = (response as { headers?: Record<string, string> } | undefined)?.headers ?? {};
  const seconds = Number(headers['retry-after']);
  if (Number.isFinite(seconds)) return seconds * 1_000;
  const milliseconds = Number(headers['x-amz-retry-after']);
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}

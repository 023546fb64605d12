import { defined } from '../../model/defined.ts';
import { JSON_TYPE } from '../../protocols/kube/body.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import type { Refusal } from '../../wire/backend.ts';
import type { WireResponse } from '../../wire/wire.ts';

/** A refusal as an API server sends it: a Status, or plain text if it comes from a filter in front of the API. */
export function refuse({ status, code, message, retryAfterSeconds, plain, about }: Refusal): WireResponse {
  if (plain === true) return plainRefusal(status, message, retryAfterSeconds);
  const details = { ...about, ...defined({ retryAfterSeconds }) };
  return refusalOf(new StatusError(status, code, message, Object.keys(details).length === 0 ? undefined : details));
}

/** The answer for an error of the API. */
export function refusalOf(error: StatusError): WireResponse {
  const retryAfter = error.status.details?.retryAfterSeconds;
  return {
    status: error.code,
    headers: { 'content-type': JSON_TYPE, ...defined({ 'retry-after': retryAfter?.toString() }) },
    body: JSON.stringify(error.status),
  };
}

/** As `http.Error` writes it: priority and fairness refuses requests before the API's own errors apply. */
function plainRefusal(status: number, message: string, retryAfterSeconds: number | undefined): WireResponse {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...defined({ 'retry-after': retryAfterSeconds?.toString() }),
    },
    body: `${message}\n`,
  };
}

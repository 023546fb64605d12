import { z } from 'zod';
import type { WholeResponse } from './exchange.ts';
import { KubeError } from './kube-client.ts';

const statusSchema = z.object({
  reason: z.string().optional(),
  message: z.string().optional(),
  code: z.number().optional(),
  details: z.object({ retryAfterSeconds: z.number().optional() }).nullish(),
});

/** The reasons that client-go gives to answers without a Status body (apimachinery's NewGenericServerResponse). */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Reads an API server's refusal: a Status object, or the answer of a proxy in front of the server. */
export function readKubeError(response: WholeResponse, label: string): KubeError {
  const status = statusSchema.safeParse(parseJson(response.text)).data ?? {};
  const reason = status.reason ?? REASONS[response.status] ?? 'Unknown';
  const message = status.message ?? `${label}: the server answered HTTP ${response.status}`;
  return new KubeError(response.status, reason, message, retryAfterMs(response.headers['retry-after'], status.details?.retryAfterSeconds));
}

/** Reads the Status object that a watch sends in an ERROR event. */
export function readWatchError(object: unknown, label: string): KubeError {
  const status = statusSchema.safeParse(object).data ?? {};
  const reason = status.reason ?? 'Unknown';
  const message = status.message ?? `${label}: the watch ended with an error`;
  return new KubeError(status.code ?? 500, reason, message, retryAfterMs(undefined, status.details?.retryAfterSeconds));
}

/** API servers send whole seconds; HTTP's date form is not supported. */
function retryAfterMs(header: string | undefined, detail: number | undefined): number | undefined {
  const seconds = header !== undefined && /^\d+$/.test(header) ? Number(header) : detail;
  return seconds === undefined ? undefined : seconds * 1_000;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

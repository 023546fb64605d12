import { withDeadline, withSignal } from '../../../clients/exchange.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import { WireError, asText, readWhole } from '../../../wire/wire.ts';
import type { WebhookCall, WebhookClient } from './client.ts';

/** The longest answer that is read. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

/**
 * Calls webhooks over the network, each on a connection of its own.
 * @param services the addresses, `HOST:PORT`, of services, `NAMESPACE/NAME`
 */
export function createWebhookClient(clock: Clock, services: ReadonlyMap<string, string>): WebhookClient {
  const closing = new AbortController();
  return {
    serves: (service) => services.has(service),
    post: async (call) => {
      try {
        return await post(clock, call, services.get(call.service ?? ''), closing.signal);
      } catch (error) {
        return { problem: problemOf(error, new URL(call.url)) };
      }
    },
    close: () => closing.abort(new WireError('ECONNRESET', 'the API server was stopped')),
  };
}

async function post(clock: Clock, { url, ca, body, timeoutMs }: WebhookCall, address: string | undefined, closed: AbortSignal) {
  const { origin, hostname, pathname, search } = new URL(url);
  const { wire, destroy } = createHttpWire({
    baseUrl: address === undefined ? origin : `https://${address}`,
    tls: defined({ ca, serverName: address && hostname }),
  });
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json, */*', 'user-agent': 'kube-apiserver-admission' };
    return await withDeadline(clock, timeoutMs, `POST ${url}`, async (signal) => {
      const answer = await wire(withSignal({ method: 'POST', path: pathname + search, headers, body, signal }, closed));
      const text = asText(await readWhole(answer.body, MAX_ANSWER_BYTES));
      return { status: answer.status, contentType: answer.headers['content-type'] ?? '', text };
    });
  } finally {
    destroy();
  }
}

const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** By the code of the error in Node. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNRESET: 'EOF',
  ERR_SSL_WRONG_VERSION_NUMBER: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'http: server gave HTTP response to HTTPS client',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
};

/** What Go's client says about an error of Node's. */
function problemOf(error: unknown, { hostname, port }: URL): string {
  const why = error instanceof WireError ? (error.cause ?? error) : error;
  const { code = '', message, address, port: usedPort, reason } = why as NodeJS.ErrnoException & Failure;
  switch (code) {
    case 'ETIMEDOUT':
      return error instanceof WireError && error.cause === undefined ? 'context deadline exceeded' : 'dial tcp: i/o timeout';
    case 'ECONNREFUSED':
      return `dial tcp ${address ?? hostname}:${usedPort ?? port}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: ${reason ?? message}`;
    default:
      return PROBLEMS[code] ?? message;
  }
}

/** What errors of Node's sockets and TLS also have. */
interface Failure {
  readonly address?: string;
  readonly port?: number;
  readonly reason?: string;
}

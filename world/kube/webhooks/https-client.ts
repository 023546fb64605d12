import { withDeadline } from '../../../clients/exchange.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import type { HttpWire } from '../../../wire/http-wire.ts';
import { WireError, asText, readWhole } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import type { WebhookClient } from './client.ts';

/** The longest answer that is read. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

/** Most servers to which connections are kept (`defaultCacheSize` of `apiserver/pkg/util/webhook`). */
const MAX_SERVERS = 200;
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, */*', 'user-agent': 'kube-apiserver-admission' };

/** Where a call goes, and how its server proves who it is. */
interface Destination {
  readonly baseUrl: string;
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
}

/** The connections to one server. */
interface Server {
  readonly http: HttpWire;
  /** Calls in progress. */
  calls: number;
}

/**
 * Calls webhooks over the network. Connections are kept for the next calls.
 * @param services the addresses, `HOST:PORT`, of services, `NAMESPACE/NAME`
 */
export function createWebhookClient(clock: Clock, services: ReadonlyMap<string, string>): WebhookClient {
  const servers = new Servers();
  return {
    serves: (service) => services.has(service),
    post: async ({ url, service, ca, body, timeoutMs }) => {
      const { origin, hostname, pathname, search } = new URL(url);
      const address = services.get(service ?? '');
      const to =
        address === undefined
          ? { baseUrl: origin, ca, serverName: undefined }
          : { baseUrl: `https://${address}`, ca, serverName: hostname };
      try {
        return await servers.use(to, (wire) =>
          withDeadline(clock, timeoutMs, `POST ${url}`, async (signal) => {
            const answer = await wire({ method: 'POST', path: pathname + search, headers: HEADERS, body, signal });
            const text = asText(await readWhole(answer.body, MAX_ANSWER_BYTES));
            return { status: answer.status, contentType: answer.headers['content-type'] ?? '', text };
          }),
        );
      } catch (error) {
        return { problem: problemOf(error, new URL(url)) };
      }
    },
    close: () => servers.close(),
  };
}

/** The servers that were called, the one that was called last at the end. */
class Servers {
  readonly #open = new Map<string, Server>();
  #isClosed = false;

  /** @throws WireError after `close` */
  async use<T>(to: Destination, work: (wire: Wire) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new WireError('ECONNRESET', 'the API server was stopped');
    const key = JSON.stringify([to.baseUrl, to.ca, to.serverName]);
    const server = this.#open.get(key) ?? open(to);
    this.#open.delete(key);
    this.#open.set(key, server);
    server.calls += 1;
    try {
      return await work(server.http.wire);
    } finally {
      server.calls -= 1;
      this.#closeOldest();
    }
  }

  /** Breaks off the calls in progress. */
  close(): void {
    this.#isClosed = true;
    for (const { http } of this.#open.values()) http.destroy();
    this.#open.clear();
  }

  #closeOldest(): void {
    for (const [key, { http, calls }] of this.#open) {
      if (this.#open.size <= MAX_SERVERS) return;
      if (calls > 0) continue;
      http.destroy();
      this.#open.delete(key);
    }
  }
}

function open({ baseUrl, ca, serverName }: Destination): Server {
  return { http: createHttpWire({ baseUrl, tls: defined({ ca, serverName }) }), calls: 0 };
}

const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** By the code of the error in Node. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNRESET: 'EOF',
  // The other side closed the connection.
  UND_ERR_SOCKET: 'EOF',
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

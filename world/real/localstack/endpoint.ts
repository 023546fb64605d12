import { createEc2Commands, createSqsCommands } from '../../../clients/aws-commands.ts';
import type { Ec2Commands, SqsCommands } from '../../../clients/aws-commands.ts';
import { exchange } from '../../../clients/exchange.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import { WireError } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';

/** Time-out of one request: LocalStack is a single process, and slow under concurrent requests. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** Time-out of a health check. */
const HEALTH_TIMEOUT_MS = 10_000;
/** Source: LocalStack's documentation of its internal endpoints. */
const HEALTH_PATH = '/_localstack/health';
const SERVICES = ['ec2', 'sqs'] as const;
/** The usual secret of LocalStack's clients; it is not checked. */
const SECRET = 'test';

/** The endpoint can't be used: why, and what to do. */
export class LocalStackError extends Error {
  /** Nothing listens there. */
  readonly isGone: boolean;
  constructor(message: string, { isGone = false }: { readonly isGone?: boolean } = {}) {
    super(message);
    this.name = 'LocalStackError';
    this.isGone = isGone;
  }
}

/**
 * LocalStack at an address. The access key selects the account: twelve digits are the account of that number, which
 * exists, empty, as soon as it is used.
 */
export class LocalStackEndpoint {
  readonly url: string;
  readonly region: string;
  readonly #clock: Clock;
  readonly #http: { readonly wire: Wire; destroy(): void };

  /** @param parts.wire by default over sockets to `url` */
  constructor(parts: { readonly url: string; readonly region: string; readonly clock: Clock; readonly wire?: Wire }) {
    this.url = parts.url;
    this.region = parts.region;
    this.#clock = parts.clock;
    this.#http = parts.wire === undefined ? createHttpWire({ baseUrl: parts.url }) : { wire: parts.wire, destroy: () => undefined };
  }

  get wire(): Wire {
    return this.#http.wire;
  }

  ec2(account: string): Ec2Commands {
    return createEc2Commands(this.#options(account));
  }

  sqs(account: string): SqsCommands {
    return createSqsCommands(this.#options(account));
  }

  /** Its version. @throws LocalStackError when nothing answers, it is not LocalStack, or it lacks a service */
  async check(): Promise<string> {
    const answer = await this.#health();
    const isHealth = answer.status === 200 && typeof answer.body.version === 'string' && typeof answer.body.services === 'object';
    if (!isHealth) {
      throw new LocalStackError(
        `${this.url} is not a LocalStack: GET ${HEALTH_PATH} answered ${answer.status} without a version and services. ` +
          'Use the address of a LocalStack, e.g. http://127.0.0.1:4566.',
      );
    }
    const services = answer.body.services as Readonly<Record<string, string>>;
    const missing = SERVICES.filter((service) => !['running', 'available'].includes(services[service] ?? ''));
    if (missing.length > 0) {
      throw new LocalStackError(`LocalStack at ${this.url} does not serve ${missing.join(' and ')}: start it with SERVICES=ec2,sqs`);
    }
    return answer.body.version as string;
  }

  destroy(): void {
    this.#http.destroy();
  }

  async #health(): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const request = { method: 'GET', path: HEALTH_PATH, headers: { accept: 'application/json' } };
    try {
      const { status, text } = await this.#clock.call('localstack: health', () => {
        return exchange(this.wire, this.#clock, request, HEALTH_TIMEOUT_MS);
      });
      return { status, body: readObject(text) };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new LocalStackError(`nothing answers at ${this.url} (${error.message}): start LocalStack, or correct the address`, {
        isGone: error.code === 'ECONNREFUSED',
      });
    }
  }

  #options(account: string) {
    return {
      wire: this.wire,
      clock: this.#clock,
      region: this.region,
      endpoint: this.url,
      credentials: { accessKeyId: account, secretAccessKey: SECRET },
      timeoutMs: REQUEST_TIMEOUT_MS,
    };
  }
}

/**
 * The number of a new account: drawn, and different at different times, since LocalStack keeps what runs of the same seed
 * left behind.
 */
export function newAccount(random: Random, nowMs: number): string {
  return random.fork(`account at ${nowMs}`).int(100_000_000_000, 999_999_999_999).toString();
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

import { asText } from '../wire/wire.ts';
import type { Wire } from '../wire/wire.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { decodedBody } from './decoded-body.ts';
import { exchange } from './exchange.ts';

/** Keys that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What a client for one AWS service needs. */
export interface AwsClientOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly random: Random;
  readonly region: string;
  /** Requests are signed with them (SigV4); without them nothing is signed. */
  readonly credentials?: AwsCredentials;
  /** The URL that signatures are made for; by default the region's own. */
  readonly endpoint?: string;
  /** Attempts per request, including the first; by default 3, as in the SDK. */
  readonly maxAttempts?: number;
  /** Time-out of one attempt; by default the service's own named limit. */
  readonly timeoutMs?: number;
}

/** How a client's calls are repeated. */
export type CallOptions = Pick<AwsClientOptions, 'clock' | 'random' | 'maxAttempts'>;

/** What an SDK client needs. */
export interface SdkOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly region: string;
  /** Without them nothing is signed: an in-process wire knows its caller. */
  readonly credentials?: AwsCredentials;
  /** The host that signatures are made for, e.g. `http://localhost:4566`; by default the region's own. */
  readonly endpoint?: string;
  readonly timeoutMs: number;
}

/**
 * The configuration of every SDK client here: sets each option that the SDK would otherwise read from the environment or from
 * shared configuration files. One attempt only: `retry.ts` does the retries, on the clock.
 */
export function sdkConfig(options: SdkOptions) {
  return {
    region: options.region,
    requestHandler: wireHandler(options),
    maxAttempts: 1,
    // Middleware is the same for all calls of a command.
    cacheMiddleware: true,
    retryMode: 'standard' as const,
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: [] as string[],
    userAgentAppId: () => Promise.resolve(undefined),
    defaultUserAgentProvider: () => Promise.resolve([['scaleproof', '1']] satisfies [string, string][]),
  };
}

/** Removes the SDK's logging. It prepares a log entry for each call even without a logger: a thirtieth of a trial's time. */
export function withoutLog<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/** Replaces a service's only authentication scheme and signs nothing. */
export const UNSIGNED = {
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  httpAuthSchemes: [
    {
      schemeId: 'aws.auth#sigv4',
      identityProvider: () => () => Promise.resolve({}),
      signer: { sign: <T>(request: T) => Promise.resolve(request) },
    },
  ],
};

/** The fields used of the SDK's own request. The protocols here put everything into the body: there is never a query string. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const utf8 = new TextEncoder();

function wireHandler({ wire, clock, timeoutMs }: SdkOptions) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle({ method, path, headers, body }: SdkRequest, { abortSignal }: { readonly abortSignal?: unknown } = {}) {
      const request = {
        method,
        path,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ...(typeof body === 'string' || body instanceof Uint8Array ? { body: asText(body) } : {}),
        ...(abortSignal instanceof AbortSignal ? { signal: abortSignal } : {}),
      };
      const answer = await exchange(wire, clock, request, timeoutMs);
      const answered = answer.decoded === undefined ? utf8.encode(answer.text) : decodedBody(answer.decoded);
      return { response: { statusCode: answer.status, headers: { ...answer.headers }, body: answered } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

import { asText } from '../wire/wire.ts';
import type { Wire } from '../wire/wire.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { exchange } from './exchange.ts';

/** Keys that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What a client for one service of AWS is made of. */
export interface AwsClientOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly random: Random;
  readonly region: string;
  /** Requests are signed with them (SigV4); without them nothing is signed. */
  readonly credentials?: AwsCredentials;
  /** The URL that signatures are made for; by default the region's own. */
  readonly endpoint?: string;
  /** Attempts at one request, the first included; by default the SDK's 3. */
  readonly maxAttempts?: number;
  /** Gives an attempt up; by default the service's own named limit. */
  readonly timeoutMs?: number;
}

/** What an SDK client is made of. */
export interface SdkOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly region: string;
  /** Without them nothing is signed: a wire in process knows who speaks. */
  readonly credentials?: AwsCredentials;
  /** The host that signatures are made for, e.g. `http://localhost:4566`; by default the region's own. */
  readonly endpoint?: string;
  readonly timeoutMs: number;
}

/**
 * What every SDK client of ours is configured with: each option that it would otherwise look up in the environment or in
 * shared configuration files. It tries once: retries are `retry.ts`'s, on the clock.
 */
export function sdkConfig(options: SdkOptions) {
  return {
    region: options.region,
    requestHandler: wireHandler(options),
    maxAttempts: 1,
    retryMode: 'standard' as const,
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: [] as string[],
    userAgentAppId: () => Promise.resolve(undefined),
    defaultUserAgentProvider: () => Promise.resolve([['scaleproof', '1']] satisfies [string, string][]),
  };
}

/** The SDK prepares what a logger would be told of each call, also where there is none: a thirtieth of what a trial takes. */
export function withoutLog<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/** Takes the place of a service's only authentication scheme, and signs nothing. */
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

/** What this reads of the SDK's own request. Its protocols send bodies: there is never a query string. */
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
      return { response: { statusCode: answer.status, headers: { ...answer.headers }, body: utf8.encode(answer.text) } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

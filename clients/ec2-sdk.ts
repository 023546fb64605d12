import { EC2Client } from '@aws-sdk/client-ec2';
import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { Clock } from '../runtime/clock.ts';
import { asText } from '../wire/wire.ts';
import type { Wire } from '../wire/wire.ts';
import { exchange } from './exchange.ts';

/** Keys that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What an SDK client is made of. */
interface SdkOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly region: string;
  /** Without them nothing is signed: a wire in process knows who speaks. */
  readonly credentials?: AwsCredentials;
  /** The host that signatures are made for, e.g. `http://localhost:4566`; by default the region's own. */
  readonly endpoint?: string;
  readonly timeoutMs: number;
}

/** What this reads of the SDK's own request. EC2's protocol sends forms: there is never a query string. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * The SDK's own client over a wire. Every option that it would otherwise look up in the environment or in shared
 * configuration files is given. It tries once: retries are `retry.ts`'s, on the clock.
 */
export function createSdkClient(options: SdkOptions): EC2Client {
  const { region, credentials, endpoint = `https://ec2.${region}.amazonaws.com` } = options;
  return new EC2Client({
    region,
    endpoint,
    requestHandler: wireHandler(options),
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: [],
    userAgentAppId: () => Promise.resolve(undefined),
    defaultUserAgentProvider: () => Promise.resolve([['scaleproof', '1']]),
    ...(credentials === undefined ? UNSIGNED : { credentials }),
  });
}

/** Takes the place of the service's only authentication scheme, and signs nothing. */
const UNSIGNED = {
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  httpAuthSchemes: [
    {
      schemeId: 'aws.auth#sigv4',
      identityProvider: () => () => Promise.resolve({}),
      signer: { sign: (request) => Promise.resolve(request) },
    },
  ],
} satisfies Partial<EC2ClientConfig>;

const utf8 = new TextEncoder();

function wireHandler({ wire, clock, timeoutMs }: SdkOptions) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle({ method, path, headers, body }: SdkRequest) {
      const request = {
        method,
        path,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ...(typeof body === 'string' || body instanceof Uint8Array ? { body: asText(body) } : {}),
      };
      const answer = await exchange(wire, clock, request, timeoutMs);
      return { response: { statusCode: answer.status, headers: { ...answer.headers }, body: utf8.encode(answer.text) } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
  };
}

/** A call of a webhook. */
export interface WebhookCall {
  /** `https://HOST[:PORT]/PATH?timeout=10s` */
  readonly url: string;
  /** The service that the webhook is, `NAMESPACE/NAME`, if it has no URL of its own. */
  readonly service: string | undefined;
  /** PEM; by default the system's authorities. */
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

/** A call's answer, or why there is none, in the words of Go's client. */
export type WebhookAnswer = { readonly status: number; readonly contentType: string; readonly text: string } | { readonly problem: string };

/** Calls webhooks. */
export interface WebhookClient {
  /** Whether a program answers for a service, `NAMESPACE/NAME`. */
  serves(service: string): boolean;
  /** Never rejects. */
  post(call: WebhookCall): Promise<WebhookAnswer>;
  /** Gives up the calls in progress, and makes no more. */
  close(): void;
}

/** Nothing can be reached: in virtual time, where a program's real speed must not decide. */
export const NO_WEBHOOKS: WebhookClient = {
  serves: () => false,
  post: ({ url }) => Promise.resolve({ problem: refusedBy(url) }),
  close: () => undefined,
};

const DEFAULT_PORT = '443';
const ADDRESS = /^[\d.]+$|^\[.*\]$/;

/** The problem of a host where nothing listens. A name that is no address can't be looked up either. */
function refusedBy(url: string): string {
  const { hostname, port } = new URL(url);
  if (!ADDRESS.test(hostname)) return `dial tcp: lookup ${hostname}: no such host`;
  return `dial tcp ${hostname}:${port === '' ? DEFAULT_PORT : port}: connect: connection refused`;
}

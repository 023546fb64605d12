import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';

/** For 127.0.0.1 and the service `hook` in the namespace `default`. Its key is public: it protects nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsNkmyu2oukzTipQJ
FyofYQXuGz7vR9DaQlZyytqcOKqhRANCAASddwj+IbkIyFGeLFn6yCu40CDW3M7J
eA8dLXN9EffR1UcbYp4K83rJVG/B0fc3tadM4AJrGp+lmYOMaZ0XpkeH
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUL3OYruSd1kolue9nAKI9pLhd49QwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQd2ViaG9vayBvZiB0ZXN0czAgFw0yNjExMjcxMTM4MjhaGA8y
MTI2MTEwMzExMzgyOFowGzEZMBcGA1UEAwwQd2ViaG9vayBvZiB0ZXN0czBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABJ13CP4huQjIUZ4sWfrIK7jQINbczsl4Dx0t
c30R99HVRxtingrzeslUb8HR9ze1p0zgAmsan6WZg4xpnRemR4ejdjB0MB0GA1Ud
DgQWBBSzSVm/UPje+vONl7hs9x7ufuOAVjAfBgNVHSMEGDAWgBSzSVm/UPje+vON
l7hs9x7ufuOAVjAhBgNVHREEGjAYhwR/AAABghBob29rLmRlZmF1bHQuc3ZjMA8G
A1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAJqIeqdDqfwxUya0hTeJ
L8JGRnvfiSWw4YcthgTZV0MPAiAq1e3nghT0dfpeempx3liJM6QtfkhY2eJRxBVe
cXF/9Q==
-----END CERTIFICATE-----`;

/** The certificate's authority, as `caBundle`. */
export const CA_BUNDLE = Buffer.from(CERTIFICATE).toString('base64');

/** How a webhook answers: a review's response, or what else is sent. `hang` never answers. */
export type WebhookReply = JsonObject | { readonly status: number; readonly text: string; readonly type?: string } | 'hang' | 'close';

/** A webhook's program. */
export interface WebhookServer {
  readonly url: string;
  readonly address: string;
  /** The reviews that it got, and the paths with their queries. */
  readonly requests: { readonly path: string; readonly review: JsonObject }[];
  /** Connections so far. */
  readonly connections: () => number;
  /** Resolves when the last connection has ended. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves webhooks on a free port of 127.0.0.1.
 * @param answer gets the path without its query, and the request of the review
 */
export async function serveWebhooks(answer: (path: string, review: JsonObject) => WebhookReply): Promise<WebhookServer> {
  const requests: { path: string; review: JsonObject }[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      requests.push({ path, review });
      const reply = answer(path.split('?', 1).join(''), review);
      if (reply === 'hang') return;
      if (reply === 'close') return void request.socket.destroy();
      if (isText(reply)) return void response.writeHead(reply.status, { 'content-type': reply.type ?? 'text/plain' }).end(reply.text);
      const { kind, apiVersion, request: asked } = review;
      const uid = isJsonObject(asked) ? asked['uid'] : undefined;
      const whole = reply['response'] === undefined ? { kind, apiVersion, response: { uid, ...reply } } : { kind, apiVersion, ...reply };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    });
  });
  let connections = 0;
  const open = new Set<TLSSocket>();
  const ended = new EventEmitter();
  server.on('secureConnection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      ended.emit('one');
    });
  });
  const disconnected = async (): Promise<void> => {
    while (open.size > 0) await once(ended, 'one');
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  return { url: `https://${address}`, address, requests, connections: () => connections, disconnected, close };
}

function isText(reply: JsonObject | { readonly status: number; readonly text: string }): reply is {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
} {
  return typeof reply['text'] === 'string';
}

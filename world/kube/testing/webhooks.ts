import { defined } from '../../../model/defined.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { createRandom } from '../../../runtime/random.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createRealTimeline, createVirtualTimeline } from '../../../runtime/timeline.ts';
import { readText } from '../../../wire/wire.ts';
import { createApiServer } from '../api-server.ts';
import type { ApiServer } from '../api-server.ts';
import type { WebhookClient } from '../webhooks/client.ts';
import { createWebhookClient } from '../webhooks/https-client.ts';
import { START_MS } from './api-server.ts';
import { serveWebhooks } from './webhook-server.ts';
import type { WebhookReply, WebhookServer } from './webhook-server.ts';

/** An answer of an API server. */
export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly body: unknown;
  readonly effect: unknown;
}

export async function send(server: ApiServer, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const request = { method, path, headers, ...defined({ body: body && JSON.stringify(body) }) };
  const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
  const answer = await server.backend.handle(request, server.backend.describe(request), caller);
  const decoded = JSON.parse(await readText(answer.body)) as { message?: string };
  return { status: answer.status, message: decoded.message ?? '', body: decoded, effect: answer.effect };
}

/** A server in real time, and a program that answers all webhooks. */
export async function withWebhook(
  answer: (path: string, review: JsonObject) => WebhookReply,
  work: (site: { server: ApiServer; webhook: WebhookServer; clock: Clock }) => Promise<void>,
): Promise<void> {
  const clock = createRealTimeline().scope('test');
  const webhook = await serveWebhooks(answer);
  const services = new Map([['default/hook', webhook.address]]);
  const server = createApiServer({ clock, random: createRandom(1), webhooks: createWebhookClient(clock, services) });
  try {
    await work({ server, webhook, clock });
  } finally {
    server.stop();
    await webhook.close();
  }
}

/**
 * Runs `work` against a server in virtual time.
 * @param post answers all webhooks
 */
export async function withClient(
  post: (clock: Clock, review: JsonObject) => Promise<JsonObject | { readonly problem: string }>,
  work: (server: ApiServer, clock: Clock) => Promise<void>,
): Promise<void> {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const clock = timeline.scope('world');
  const webhooks: WebhookClient = {
    serves: () => true,
    close: () => undefined,
    post: async ({ body }) => {
      const review = JSON.parse(body) as JsonObject;
      const answer = await post(clock, review);
      if ('problem' in answer) return { problem: String(answer['problem']) };
      const { uid } = review['request'] as { uid: string };
      return { status: 200, contentType: 'application/json', text: JSON.stringify({ response: { uid, ...answer } }) };
    },
  };
  const server = createApiServer({ clock, random: random.fork('kube'), webhooks });
  await timeline.run(work(server, timeline.scope('test')));
  server.stop();
}

import { actionOf } from '../../../protocols/aws-json/codec.ts';
import { asText, isStream, withBody } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import { SERVICE } from './protocol.ts';
import { queueUrlOf } from './queues.ts';

/** The operations that answer with URLs of queues. */
const ANSWER_URLS: ReadonlySet<string | undefined> = new Set(['CreateQueue', 'GetQueueUrl', 'ListQueues']);

/**
 * A wire for programs on sockets, where a queue's URL is that of the endpoint that was asked: SDKs for JavaScript send requests to the
 * host in a queue's URL, and would leave the world. Source: LocalStack 4.14.0 and moto 5.
 */
export function withLocalQueueUrls(wire: Wire, region: string): Wire {
  const { origin } = new URL(queueUrlOf(region, ''));
  return async (request) => {
    const answer = await wire(request);
    const { host } = request.headers;
    if (host === undefined || !ANSWER_URLS.has(actionOf(request.headers, SERVICE)) || isStream(answer.body)) return answer;
    return withBody(answer, asText(answer.body).replaceAll(`${origin}/`, `http://${host}/`));
  };
}

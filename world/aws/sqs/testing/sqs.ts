import { SQSServiceException } from '@aws-sdk/client-sqs';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createSqsSdkClient } from '../../../../clients/sqs.ts';
import type { ClockScope } from '../../../../runtime/clock.ts';
import { createRandom } from '../../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../../runtime/timeline.ts';
import type { Answer } from '../../../../wire/backend.ts';
import type { WireRequest } from '../../../../wire/wire.ts';
import { SqsBackend } from '../backend.ts';
import { Queues } from '../queues.ts';

export const START_MS = Date.parse('2026-01-01T00:00:00Z');
const REGION = 'us-east-1';

/** An SQS with the real SDK's client on its wire. */
interface Bench {
  readonly clock: ClockScope;
  readonly queues: Queues;
  readonly send: SQSClient['send'];
  /** All answers so far. */
  readonly answers: readonly Answer[];
  /** Sends a raw request. */
  raw(request: Partial<WireRequest>): Promise<Answer>;
}

/** Runs `body` against an SQS with one queue, `workers`, under virtual time. */
export async function withSqs(body: (bench: Bench) => Promise<void>, seed: number | string = 1): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const clock = timeline.scope('test');
  const world = timeline.scope('sqs');
  const queues = new Queues({ region: REGION, clock: world, random: random.fork('queues') });
  queues.create('workers');
  const backend = new SqsBackend({ queues, clock: world, random: random.fork('request ids') });
  const answers: Answer[] = [];
  const wire = async (request: WireRequest): Promise<Answer> => {
    const answer = await backend.handle(request, backend.describe(request), { principal: 'target', incarnation: 1, span: answers.length });
    answers.push(answer);
    return answer;
  };
  const client = createSqsSdkClient({ wire, clock, region: REGION, timeoutMs: 60_000 });
  // A wrapper can't have the client's overloads; this one passes everything on.
  const send = ((command: Parameters<SQSClient['send']>[0], options?: object) =>
    clock.call('sqs', () => client.send(command, options))) as SQSClient['send'];
  const raw = (request: Partial<WireRequest>): Promise<Answer> => wire({ method: 'POST', path: '/', headers: {}, ...request });
  await timeline.run(body({ clock, queues, send, answers, raw }));
  client.destroy();
}

/** The refusal of a request by SQS: `status name`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SQSServiceException) return `${error.$metadata.httpStatusCode} ${error.name}`;
    throw error;
  }
  return 'none';
}

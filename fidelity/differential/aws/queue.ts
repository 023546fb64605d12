import type { Draft } from './draft.ts';
import { QUEUE_NAME } from './script.ts';

/** Visible again at once, or not during the script. */
const VISIBILITY_S = [0, 43_200] as const;
/** For a long poll, which queries all servers. */
const WAIT_S = 1;
const UNKNOWN_URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/nobody-made-it';

/** Adds a call about the queue. */
export function addQueueCall(draft: Draft): void {
  const { random } = draft;
  const times = (count: number, one: (draft: Draft) => void): ((draft: Draft) => void)[] => Array<typeof one>(count).fill(one);
  const changes = receives(draft).length > 0 ? [...times(4, remove), ...times(3, removeBatch)] : [];
  random.pick([...times(5, sendOne), ...times(5, receive), ...changes, getUrl])(draft);
}

function url({ random }: Draft): string {
  return random.chance(0.93) ? '<<queue>>' : UNKNOWN_URL;
}

function sendOne(draft: Draft): void {
  const body = draft.random.pick([
    `message ${draft.steps.length}`,
    `{"detail-type":"${draft.steps.length}"}`,
    `${draft.steps.length} <ä> & "x"`,
  ]);
  draft.add('SendMessage', { QueueUrl: url(draft), MessageBody: body, ...draft.some(0.05, () => ({ DelaySeconds: 901 })) });
}

/** Receives all messages, since a subset would be random. */
function receive(draft: Draft): void {
  const { random } = draft;
  draft.add('ReceiveMessage', {
    QueueUrl: url(draft),
    MaxNumberOfMessages: random.chance(0.95) ? 10 : 11,
    VisibilityTimeout: random.pick(VISIBILITY_S),
    WaitTimeSeconds: WAIT_S,
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  });
}

/** Steps that may have received messages. */
function receives({ steps }: Draft): number[] {
  const sent = steps.findIndex(({ operation }) => operation === 'SendMessage');
  return steps.flatMap(({ operation }, index) => (operation === 'ReceiveMessage' && sent >= 0 && index > sent ? [index] : []));
}

/** A receipt from some step, mostly that of its first message. */
function receipt(draft: Draft): string {
  const { random } = draft;
  return random.chance(0.97) ? `<<${random.pick(receives(draft))}.${random.pick([0, 0, 0, 0, 0, 1])}>>` : 'no receipt';
}

function remove(draft: Draft): void {
  draft.add('DeleteMessage', { QueueUrl: url(draft), ReceiptHandle: receipt(draft) });
}

function removeBatch(draft: Draft): void {
  const { random } = draft;
  const entries = Array.from({ length: random.pick([1, 2, 2, 3]) }, (_, index) => ({ Id: String(index), ReceiptHandle: receipt(draft) }));
  draft.add('DeleteMessageBatch', {
    QueueUrl: url(draft),
    Entries: random.chance(0.9) ? entries : entries.map((one) => ({ ...one, Id: 'same' })),
  });
}

function getUrl(draft: Draft): void {
  draft.add('GetQueueUrl', { QueueName: draft.random.chance(0.6) ? QUEUE_NAME : 'nobody-made-it' });
}

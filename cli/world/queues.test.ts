import { expect, test } from '@playwright/test';
import { withRunningWorld } from './testing/running-world.ts';

/** With no more than a user's environment: the SDK sends requests about a queue to the host in its URL. */
const PROGRAM = `
import { CreateQueueCommand, GetQueueUrlCommand, ListQueuesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
const sqs = new SQSClient({});
const made = await sqs.send(new CreateQueueCommand({ QueueName: 'mine' }));
const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'mine' }));
await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: made.QueueUrl, WaitTimeSeconds: 1 }));
const { QueueUrls } = await sqs.send(new ListQueuesCommand({}));
console.log(JSON.stringify({ made: made.QueueUrl, found: QueueUrl, listed: QueueUrls, bodies: Messages.map(({ Body }) => Body) }));
`;

test("the SDK for JavaScript finds queues by name: their URLs are those of the world's address", async ({}, testInfo) => {
  await withRunningWorld(testInfo, async ({ run, target, operator }) => {
    for (const environment of [target, operator]) {
      const { code, stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], environment);
      expect(code, stderr).toBe(0);
      const interruptions = environment['INTERRUPTION_QUEUE_URL'] ?? '';
      const mine = interruptions.replace(/[^/]*$/, 'mine');
      expect(mine).toContain(environment['AWS_ENDPOINT_URL']);
      expect(JSON.parse(stdout)).toEqual({ made: mine, found: mine, listed: [interruptions, mine].sort(), bodies: ['hello'] });
    }
  });
});

import { expect, test } from '@playwright/test';
import { TARGET_HEADER } from '../../../protocols/aws-json/codec.ts';
import { withDecoded } from '../../../wire/wire.ts';
import { withLocalQueueUrls } from './local-urls.ts';

test('an answer whose URLs were changed is no longer decoded', async () => {
  const output = { QueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/q' };
  const wire = withLocalQueueUrls(
    () => Promise.resolve(withDecoded({ status: 200, headers: {} }, output, () => JSON.stringify(output))),
    'us-east-1',
  );
  const headers = { [TARGET_HEADER]: 'AmazonSQS.GetQueueUrl', host: '127.0.0.1:80' };
  const body = JSON.stringify({ QueueUrl: 'http://127.0.0.1:80/1/q' });
  expect(await wire({ method: 'POST', path: '/', headers })).toEqual({ status: 200, headers: {}, body });
});

import { z } from 'zod';
import { never } from '../../../runtime/clock.ts';
import { asText, isStream } from '../../../wire/wire.ts';
import type { Wire, WireResponse } from '../../../wire/wire.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const messagesSchema = z.object({ Messages: z.array(z.object({ Body: z.string() })).optional() });

/** The real AWS, but after an unreadable message the queue is never read again. */
function stoppingAtPoison(aws: Wire): Wire {
  let isStuck = false;
  return async (request) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return aws(request);
    // The planted bug: it is stuck at that message.
    if (isStuck) return never();
    const response = await aws(request);
    isStuck = bodiesOf(response).some((body) => !isJson(body));
    return response;
  };
}

function bodiesOf({ status, body }: WireResponse): string[] {
  if (status !== 200 || isStream(body)) return [];
  return (messagesSchema.parse(JSON.parse(asText(body))).Messages ?? []).map(({ Body }) => Body);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const poisonMessage: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:poison-message',
    summary: 'never gets past a message of the interruption queue that it cannot read',
    wrapAws: stoppingAtPoison,
  }),
  resembles: 'messages at the head of the interruption queue blocked those behind them (karpenter-provider-aws#5400)',
  caughtBy: {
    scenario: 'interruption/malformed-and-foreign-messages',
    check: 'interruption-handled',
    code: 'notice-not-read',
    object: 'instance/*',
    seeds: 'every',
  },
};

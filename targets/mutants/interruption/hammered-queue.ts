import type { Wire } from '../../../wire/wire.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Immediate repetitions of one receive, before it fails. */
const TRIES = 50;

/** The real AWS, but a receive that fails is repeated at once. */
function receivingAgain(aws: Wire): Wire {
  return async (request) => {
    let response = await aws(request);
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return response;
    // The planted bug: no backoff.
    for (let tries = 1; response.status >= 400 && tries < TRIES; tries += 1) response = await aws(request);
    return response;
  };
}

export const hammeredQueue: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:hammered-queue',
    summary: 'repeats a failed receive from the interruption queue at once, so that an outage means constant requests',
    wrapAws: receivingAgain,
  }),
  resembles: 'requests to a missing interruption queue failed without a backoff (karpenter-provider-aws#2861)',
  caughtBy: {
    scenario: 'interruption/queue-outage',
    check: 'request-amplification',
    code: 'request-hammered',
    object: 'sqs:ReceiveMessage',
    seeds: 'every',
  },
};

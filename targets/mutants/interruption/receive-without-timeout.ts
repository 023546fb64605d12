import { never } from '../../../runtime/clock.ts';
import type { Wire } from '../../../wire/wire.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The real AWS, but once a receive has not been answered in time, the queue is never read again. */
function patientWire(aws: Wire): Wire {
  let isWaiting = false;
  return async (request) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return aws(request);
    // The planted bug: the reader waits for an answer for as long as it takes.
    if (isWaiting) return never();
    const giveUp = (): void => {
      isWaiting = true;
    };
    request.signal?.addEventListener('abort', giveUp);
    const response = await aws(request);
    request.signal?.removeEventListener('abort', giveUp);
    return response;
  };
}

export const receiveWithoutTimeout: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:receive-without-timeout',
    summary: 'waits for the answer to a receive from the interruption queue for as long as it takes',
    wrapAws: patientWire,
  }),
  resembles: 'requests to AWS had no timeout, so a connection that ended without a word was waited for (karpenter-provider-aws#9318)',
  caughtBy: {
    scenario: 'interruption/unanswered-receive',
    check: 'interruption-handled',
    code: 'notice-not-read',
    object: 'instance/*',
    seeds: 'every',
  },
};

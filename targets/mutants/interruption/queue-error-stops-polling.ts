import { never } from '../../../runtime/clock.ts';
import type { Wire } from '../../../wire/wire.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The real AWS, but after the first failure the queue is never read again. */
function deafAfterErrorWire(aws: Wire): Wire {
  let isDeaf = false;
  return async (request) => {
    if (!request.headers['x-amz-target']?.startsWith('AmazonSQS.')) return aws(request);
    // The planted bug: the read loop has ended.
    if (isDeaf) return never();
    const response = await aws(request);
    isDeaf = response.status >= 500;
    return response;
  };
}

export const queueErrorStopsPolling: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:queue-error-stops-polling',
    summary: 'stops reading the interruption queue at the first SQS error, and carries on without it',
    wrapAws: deafAfterErrorWire,
  }),
  resembles: 'an outage of SQS had lasting effects (karpenter-provider-aws#7951)',
  caughtBy: {
    scenario: 'interruption/queue-outage',
    check: 'interruption-handled',
    code: 'notice-not-read',
    object: 'instance/*',
    seeds: 'every',
  },
};

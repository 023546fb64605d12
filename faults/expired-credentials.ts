import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import type { Refusal } from '../wire/effects.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  of: z.enum(['aws', 'kubernetes']).default('aws').describe('which credentials: those for AWS, or the token for the API server'),
});

/**
 * The target's credentials have expired, until they are renewed. Legal: credentials of roles and service accounts expire within hours.
 * Sources: "Error codes for the Amazon EC2 API" (RequestExpired: "if you're using temporary security credentials"), "Common
 * errors" of SQS, apimachinery's `NewUnauthorized`.
 */
export const expiredCredentials = defineFault({
  name: 'expired-credentials',
  summary: "the target's credentials for AWS or for the API server have expired: all its requests are refused",
  params,
  legal: true,
  capabilities: (given) => [given.of === 'aws' ? 'wire.aws' : 'wire.kube'],
  color: '#9f1239',
  describe: (given) => `the credentials for ${given.of === 'aws' ? 'AWS' : 'the API server'} have expired`,
  inject: (given, { arm, fired }) => {
    const wire = given.of === 'aws' ? 'aws' : 'kube';
    return arm({
      trigger: { match: { operations: ['*'], where: (operation) => operation.wire === wire }, when: { kind: 'always' }, moment: 'before' },
      effect: { kind: 'refuse', refusal: refusalOf },
      fired: (span) => fired(span),
    });
  },
});

function refusalOf({ wire, name }: Operation): Refusal {
  if (wire === 'kube') return { status: 401, code: 'Unauthorized', message: 'Unauthorized' };
  if (name.startsWith('sqs:') || name.startsWith('autoscaling:')) {
    return { status: 403, code: 'ExpiredToken', message: 'The security token included in the request is expired' };
  }
  return { status: 400, code: 'RequestExpired', message: 'Request has expired.' };
}

import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import type { Refusal } from '../wire/effects.ts';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams, wiresOf } from './trigger-params.ts';

/**
 * The error of each service. Sources: "Error codes for the Amazon EC2 API", "Common errors" of SQS, "GetParameter" and "Common
 * errors" of Systems Manager, apimachinery's `NewInternalError`.
 */
const REFUSALS = {
  internal: {
    ec2: { status: 500, code: 'InternalError', message: 'An internal error has occurred' },
    autoscaling: {
      status: 500,
      code: 'InternalFailure',
      message: 'The request processing has failed because of an unknown error, exception or failure.',
    },
    sqs: { status: 500, code: 'InternalFailure', message: 'The request processing has failed because of an unknown error.' },
    ssm: { status: 500, code: 'InternalServerError', message: 'An error occurred on the server side.' },
    kube: { status: 500, code: 'InternalError', message: 'Internal error occurred: etcdserver: leader changed' },
  },
  unavailable: {
    ec2: { status: 503, code: 'Unavailable', message: 'The service is unavailable. Please try again shortly.' },
    autoscaling: { status: 503, code: 'ServiceUnavailable', message: 'The request has failed due to a temporary failure of the server.' },
    sqs: { status: 503, code: 'ServiceUnavailable', message: 'The service is temporarily unavailable.' },
    ssm: { status: 503, code: 'ServiceUnavailable', message: 'The request has failed due to a temporary failure of the server.' },
    kube: { status: 503, code: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  },
} as const satisfies Record<string, Record<string, Refusal>>;

const params = z.strictObject({
  ...triggerParams,
  how: z.enum(['internal', 'unavailable']).default('internal').describe('internal: error 500; unavailable: error 503'),
  moment: z
    .enum(['before', 'after'])
    .default('before')
    .describe('before: the request has no effect; after: it took effect, but its sender gets an error'),
});

/** A service responds with a 5xx error. Legal: AWS and API servers both do, and a 5xx does not say whether the request took effect. */
export const serverError = defineFault({
  name: 'server-error',
  summary: 'EC2, SQS or the API server answers with a 5xx error, and the request may or may not have taken effect',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#dc2626',
  fis: ['aws:fis:inject-api-internal-error', 'aws:fis:inject-api-unavailable-error'],
  describe: ({ operations, when, how, moment }) => {
    const done = moment === 'before' ? '' : ' though it took effect';
    return `${describeWhen(when)} ${describeOperations(operations)} is answered with ${REFUSALS[how].ec2.status}${done}`;
  },
  inject: ({ operations, when, how, moment }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when, moment },
      effect: { kind: 'refuse', refusal: (operation) => REFUSALS[how][serviceOf(operation)] },
      fired: (span) => fired(span),
    }),
});

function serviceOf({ wire, name }: Operation): keyof (typeof REFUSALS)['internal'] {
  if (wire === 'kube') return 'kube';
  return (['autoscaling', 'sqs', 'ssm'] as const).find((service) => name.startsWith(`${service}:`)) ?? 'ec2';
}

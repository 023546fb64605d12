import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import type { Refusal } from '../wire/effects.ts';
import { defineFault } from './fault.ts';
import { describeOperations, wiresOf } from './trigger-params.ts';

const params = z.strictObject({
  operations: z
    .array(z.string().min(1))
    .min(1)
    .meta({
      description: 'operations as named in histories, such as ec2:TerminateInstances or patch nodes; * for all',
      examples: [['ec2:CreateTags'], ['create pods/eviction'], ['ec2:TerminateInstances']],
    }),
});

/**
 * The target no longer has the permission for its requests. Legal: people edit policies and roles.
 * Sources: "Error codes for the Amazon EC2 API", "Common errors" of SQS, `k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`.
 */
export const deniedPermission = defineFault({
  name: 'denied-permission',
  summary: 'requests are denied for lack of a permission: UnauthorizedOperation, AccessDenied, or 403 Forbidden',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#991b1b',
  describe: ({ operations }) => `the target may not ${describeOperations(operations)}`,
  inject: ({ operations }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when: { kind: 'always' }, moment: 'before' },
      effect: { kind: 'refuse', refusal: refusalOf },
      fired: (span) => fired(span),
    }),
});

function refusalOf({ wire, name, object }: Operation): Refusal {
  if (wire === 'kube') {
    const [verb = '', resource = ''] = name.split(' ');
    const what = object?.name === undefined ? resource : `${resource} "${object.name}"`;
    const message = `${what} is forbidden: User "system:serviceaccount:kube-system:autoscaler" cannot ${verb} resource "${resource}"`;
    return { status: 403, code: 'Forbidden', message };
  }
  if (name.startsWith('sqs:')) return { status: 403, code: 'AccessDenied', message: 'Access to the resource is denied.' };
  const who = 'User: arn:aws:sts::123456789012:assumed-role/autoscaler/session';
  const message = `You are not authorized to perform this operation. ${who} is not authorized to perform: ${name}`;
  return { status: 403, code: 'UnauthorizedOperation', message };
}

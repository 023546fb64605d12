import { z } from 'zod';
import type { Operation } from '../model/operation.ts';
import { denialDetails, denialMessage } from '../model/denial.ts';
import type { Attributes } from '../model/denial.ts';
import type { Caller, Refusal } from '../wire/effects.ts';
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

/** Whose permission is denied, where no roles say who the target is. */
const SOME_USER = 'system:serviceaccount:kube-system:autoscaler';

function refusalOf(operation: Operation, { user = SOME_USER }: Caller): Refusal {
  const { wire, name } = operation;
  if (wire === 'kube') {
    const request = attributesIn(operation);
    return { status: 403, code: 'Forbidden', message: denialMessage(user, request), about: denialDetails(request) };
  }
  if (name.startsWith('sqs:')) return { status: 403, code: 'AccessDenied', message: 'Access to the resource is denied.' };
  const who = 'User: arn:aws:sts::123456789012:assumed-role/autoscaler/session';
  if (name.startsWith('autoscaling:'))
    return { status: 403, code: 'AccessDenied', message: `${who} is not authorized to perform: ${name}` };
  const message = `You are not authorized to perform this operation. ${who} is not authorized to perform: ${name}`;
  return { status: 403, code: 'UnauthorizedOperation', message };
}

function attributesIn({ name, group = '', object }: Operation): Attributes {
  const [verb = '', what = ''] = name.split(' ');
  if (object === undefined) return { kind: 'path', verb, path: what };
  const [resource = '', subresource = ''] = what.split('/');
  const { namespace = '' } = object;
  // The name in a new object's body is no part of the request that is authorized.
  const named = verb === 'create' && subresource === '' ? '' : (object.name ?? '');
  return { kind: 'resource', verb, group, version: '', resource, subresource, namespace, name: named };
}

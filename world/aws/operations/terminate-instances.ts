import type { InstanceStateChange, TerminateInstancesRequest, TerminateInstancesResult } from '@aws-sdk/client-ec2';
import { invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { findInstances, writeState } from '../instance-view.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';

const IDS_MAX = 1_000;

/** Ends instances. One id that is not there fails the whole request; ending one again is no error. */
export function terminateInstances(account: Account, { InstanceIds: ids = [] }: TerminateInstancesRequest, caller: Caller): Outcome {
  if (ids.length === 0) throw missingParameter('InstanceId');
  if (ids.length > IDS_MAX) throw invalidValue(`At most ${IDS_MAX} instances can be terminated by one request`);
  const changes = findInstances(account, [...new Set(ids)]).map((before) => {
    return { before, after: account.instances.terminate(before.id, caller.span) ?? before };
  });
  const output: TerminateInstancesResult = {
    TerminatingInstances: changes.map(({ before, after }): InstanceStateChange => {
      return { InstanceId: before.id, CurrentState: writeState(after.state), PreviousState: writeState(before.state) };
    }),
  };
  const ended = changes.filter(({ before, after }) => before.state !== after.state);
  return outcome(
    output,
    ended.map(({ before }) => before.id),
  );
}

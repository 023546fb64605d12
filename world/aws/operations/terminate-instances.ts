import type { InstanceStateChange, TerminateInstancesRequest, TerminateInstancesResult } from '@aws-sdk/client-ec2';
import { Ec2Refusal, invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { findInstances, writeState } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';

const IDS_MAX = 1_000;

/**
 * Terminates instances. One unknown id fails the whole request; terminating one again is not an error. If one is protected,
 * the request fails, yet instances in other zones than the protected ones are terminated. Source: TerminateInstances in the
 * EC2 API reference.
 */
export function terminateInstances(account: Account, { InstanceIds }: TerminateInstancesRequest, { span }: Caller): Outcome {
  const asked = findInstances(account, namedIds(InstanceIds, 'terminated'), span);
  const guarded = asked.filter(({ isProtected, state }) => isProtected && state !== 'terminated');
  const zones = new Set(guarded.map(({ zone }) => zone));
  const changes = asked
    .filter(({ zone }) => !zones.has(zone))
    .map((before) => ({ before, after: account.instances.terminate(before.id, span) ?? before }));
  const output: TerminateInstancesResult = { TerminatingInstances: writeChanges(changes) };
  const done = outcome(output, changedIds(changes));
  const [first] = guarded;
  return first === undefined ? done : { ...done, refusal: protectedFromEnding(first.id) };
}

/** @throws Ec2Refusal for none or too many */
export function namedIds(ids: readonly string[] | undefined, what: string): string[] {
  if (ids === undefined || ids.length === 0) throw missingParameter('InstanceId');
  if (ids.length > IDS_MAX) throw invalidValue(`At most ${IDS_MAX} instances can be ${what} by one request`);
  return [...new Set(ids)];
}

/** An instance before and after a request. */
export interface StateChange {
  readonly before: InstanceRecord;
  readonly after: InstanceRecord;
}

export function writeChanges(changes: readonly StateChange[]): InstanceStateChange[] {
  return changes.map(({ before, after }) => {
    return { InstanceId: before.id, CurrentState: writeState(after.state), PreviousState: writeState(before.state) };
  });
}

export function changedIds(changes: readonly StateChange[]): string[] {
  return changes.filter(({ before, after }) => before.state !== after.state).map(({ before }) => before.id);
}

function protectedFromEnding(id: string): Ec2Refusal {
  const message = `The instance '${id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`;
  return new Ec2Refusal('OperationNotPermitted', message);
}

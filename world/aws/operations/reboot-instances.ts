import type { RebootInstancesRequest } from '@aws-sdk/client-ec2';
import type { Caller } from '../../../wire/backend.ts';
import { findInstances } from '../instance-view.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { namedIds } from './terminate-instances.ts';

/**
 * Reboots running instances: it only queues that. For others nothing happens, without an error. An instance keeps its state,
 * its addresses and its volumes. Source: RebootInstances in the API reference.
 */
export function rebootInstances(account: Account, { InstanceIds }: RebootInstancesRequest, { span }: Caller): Outcome {
  const running = findInstances(account, namedIds(InstanceIds, 'rebooted'), span).filter(({ state }) => state === 'running');
  for (const { id } of running) account.instances.reboot(id);
  return outcome(
    {},
    running.map(({ id }) => id),
  );
}

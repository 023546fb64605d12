import { faults } from '../../../faults/catalogue.ts';
import type { FaultSpec } from '../../../faults/fault.ts';
import { pool, scenario } from '../../../harness/scenario.ts';
import type { Scenario } from '../../../harness/scenario.ts';

/** Requests that Karpenter sends for every node, by client. */
export const OPERATIONS: readonly string[] = [
  ...['ec2:DescribeInstances', 'ec2:CreateFleet', 'ec2:CreateTags', 'sqs:ReceiveMessage'],
  ...['create nodeclaims', 'patch nodeclaims/status', 'patch nodeclaims', 'patch nodes'],
];

/** Two nodes are launched; the first two requests of each operation fail. */
function broken(how: string, fault: (operation: string) => FaultSpec): Scenario {
  return scenario({
    id: `broken-requests/${how}`,
    title: `the first two requests of each kind: ${how}`,
    capabilities: ['wire.aws', 'wire.kube'],
    pools: [pool('default', { instanceTypes: ['m6i.large'] })],
    async run(t) {
      await Promise.all(OPERATIONS.map((operation) => t.inject(fault(operation))));
      const web = await t.deploy({ name: 'web', replicas: 2, cpu: '1500m', memory: '2Gi' });
      t.expect.served(web, 'recover');
      await t.untilServed(web, 'recover');
    },
  });
}

const when = { kind: 'first', count: 2 } as const;

export const reset = broken('reset', (operation) => faults.brokenConnection({ operations: [operation], when, code: 'ECONNRESET' }));
export const refused = broken('refused', (operation) => faults.brokenConnection({ operations: [operation], when, code: 'ECONNREFUSED' }));
export const timeout = broken('timeout', (operation) => faults.brokenConnection({ operations: [operation], when, code: 'ETIMEDOUT' }));
export const internal = broken('internal', (operation) => faults.serverError({ operations: [operation], when, how: 'internal' }));
export const unavailable = broken('unavailable', (operation) => faults.serverError({ operations: [operation], when, how: 'unavailable' }));

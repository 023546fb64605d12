import type { BoundName } from '../harness/bounds.ts';
import { pool } from '../harness/scenario.ts';
import type { Trial, Workload, WorkloadSpec } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';

/** Types on which a pod of NODE_SIZED leaves no room for a second: so many pods are so many nodes. */
export const NODE_TYPES = ['m6i.large', 'm6a.large', 'm7i.large'] as const;
export const NODE_SIZED = { cpu: '1500m', memory: '2Gi' } as const;
/** Three of them fill a node of two CPUs. */
export const THIRD_SIZED = { cpu: '600m', memory: '512Mi' } as const;
/** One pool of NODE_TYPES, on demand: nine offerings. */
export const NODE_POOLS = [pool('default', { instanceTypes: NODE_TYPES })];

/** Prefers every zone alike, and takes what there is. */
export const SOFTLY_SPREAD = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'ScheduleAnyway' } as const;

/** By which the pods of a user say to any autoscaler that they must not be disrupted. */
export const OPTED_OUT = { 'karpenter.sh/do-not-disrupt': 'true', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } as const;

/** The requests of EC2 that launch: which of them an autoscaler sends is its own business. */
export const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];

/** The requests that describe what nodes are compared with, and the nodes' machines: which of them are read is the autoscaler's business. */
export const DESCRIPTIONS = [
  ...[
    'DescribeImages',
    'DescribeSubnets',
    'DescribeSecurityGroups',
    'DescribeLaunchTemplates',
    'DescribeLaunchTemplateVersions',
    'DescribeInstances',
    'DescribeInstanceStatus',
    'DescribeInstanceTypes',
    'DescribeInstanceTypeOfferings',
    'DescribeCapacityReservations',
    'DescribePlacementGroups',
    'DescribeTags',
  ].map((name) => `ec2:${name}`),
  ...['GetParameter', 'GetParameters', 'GetParametersByPath'].map((name) => `ssm:${name}`),
];

/** Deploys pods, by default such as fill a node each, expects them served within the bound, and waits for that. */
export async function serve(t: Trial, within: BoundName, spec: Partial<WorkloadSpec> & Pick<WorkloadSpec, 'replicas'>): Promise<Workload> {
  const workload = await t.deploy({ name: 'web', ...NODE_SIZED, ...spec });
  t.expect.served(workload, within);
  await t.untilServed(workload, within);
  return workload;
}

/** Expects the pods of several workloads, which are there, served within the bound, and waits for all of them. */
export async function serveTogether(t: Trial, within: BoundName, workloads: readonly Workload[]): Promise<void> {
  for (const workload of workloads) t.expect.served(workload, within);
  for (const workload of workloads) await t.untilServed(workload, within);
}

/** Takes all pods of a workload away, expects that everything launched so far goes, and waits for that. */
export async function scaleToNone(t: Trial, workload: Workload): Promise<void> {
  await t.scale(workload, 0);
  t.expect.emptied('scale-in');
  await t.untilEmpty('teardown');
}

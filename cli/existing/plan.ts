import type { KubeClient } from '../../clients/kube-client.ts';
import { KubeError } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { KubeObject, Pod } from '../../model/kube.ts';
import type { Tenant } from '../../world/real/tenant/tenant.ts';

/** What the user has to know about a cluster before a run. */
export interface ClusterFacts {
  readonly server: string;
  readonly context: string;
  readonly version: string;
  readonly nodes: number;
  /** Other users' pods that wait for a node. */
  readonly pendingPods: number;
  /** Other users' NodePools. */
  readonly pools: readonly string[];
  /** Other users' DaemonSets that tolerate every taint, so that their pods go to every node. */
  readonly daemonSets: readonly string[];
}

/** What a run would do. */
export interface RunPlan {
  readonly tenant: Tenant;
  readonly mode: 'routed' | 'observed';
  readonly target: string;
  /** Whether the target can keep pools apart by taints. */
  readonly canTaint: boolean;
  readonly isExternal: boolean;
  readonly trials: number;
  readonly maxPods: number;
  readonly maxInstances: number;
  /** Where EC2 is, in words. */
  readonly aws: string;
}

type DaemonSet = KubeObject & {
  readonly spec?: { readonly template?: { readonly spec?: { readonly tolerations?: readonly { key?: string; operator?: string }[] } } };
};

/** Reads the facts of a cluster without changing it. @throws KubeError when a request fails */
export async function lookAt(client: KubeClient, about: Pick<ClusterFacts, 'server' | 'context' | 'version'>): Promise<ClusterFacts> {
  const nodes = await client.list(RESOURCES.nodes);
  const pods = await client.list<Pod>(RESOURCES.pods);
  const daemonSets = await client.list<DaemonSet>(RESOURCES.daemonsets);
  const isWaiting = ({ spec, status }: Pod): boolean => spec.nodeName === undefined && (status?.phase ?? 'Pending') === 'Pending';
  return {
    ...about,
    nodes: nodes.length,
    pendingPods: pods.filter(isWaiting).length,
    pools: (await listIfServed(client)).map(({ metadata }) => metadata.name ?? ''),
    daemonSets: daemonSets.filter(toleratesAll).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
  };
}

async function listIfServed(client: KubeClient): Promise<KubeObject[]> {
  try {
    return await client.list(RESOURCES.nodepools);
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return [];
    throw error;
  }
}

function toleratesAll({ spec }: DaemonSet): boolean {
  return spec?.template?.spec?.tolerations?.some(({ key, operator }) => key === undefined && operator === 'Exists') === true;
}

/** The plan for the user, as lines. */
export function formatPlan(cluster: ClusterFacts, plan: RunPlan): string[] {
  const { tenant, mode, trials, maxPods, maxInstances } = plan;
  const name = `${tenant.objectPrefix}*`;
  const own = `${count(cluster.nodes, 'node')}, ${count(cluster.pendingPods, 'pending pod')}, ${count(cluster.pools.length, 'NodePool')}`;
  return [
    `Scaleproof is about to use a cluster that is not its own:`,
    `  cluster        ${cluster.server} (context ${cluster.context}, Kubernetes ${cluster.version}; ${own})`,
    `  mode           ${mode}: ${mode === 'routed' ? "the target's requests go through this process, which injects faults" : 'the target uses its own endpoints; no faults are injected, everything is watched'}`,
    `  target         ${plan.target}`,
    `  trials         ${trials}, one after the other`,
    `  EC2            ${plan.aws}`,
    `  creates        namespace ${tenant.namespace}; in it at most ${maxPods} pods; NodePools and node classes ${name};`,
    `                 ${mode === 'routed' ? 'Nodes without machines behind them; ' : ''}missing CustomResourceDefinitions of the target`,
    `  instances      at most ${maxInstances} in each trial (--max-instances); one more ends the trial as unknown`,
    `  label          ${tenant.selector}, on everything that it creates; it removes only objects with this label`,
    `  leaves alone   everything else: its pods run only on its own nodes${plan.canTaint ? ', and only its pods run there' : ''}`,
    ...warningsOf(cluster, plan).map((warning) => `  NOTE           ${warning}`),
  ];
}

function warningsOf({ pendingPods, pools, daemonSets }: ClusterFacts, { canTaint, isExternal, mode }: RunPlan): string[] {
  return [
    ...(!canTaint && pendingPods > 0
      ? [
          `the target does not support taints: ${count(pendingPods, 'pending pod')} of others may be scheduled to the run's nodes${mode === 'routed' ? ', where nothing runs' : ''}`,
        ]
      : []),
    ...(daemonSets.length > 0 && mode === 'routed'
      ? [
          `pods of ${daemonSets.join(', ')} tolerate every taint: each of the run's nodes gets one, which stays Pending until the node is deleted, since nothing runs there`,
        ]
      : []),
    ...(pools.length > 0 && !isExternal
      ? [`the cluster has NodePools ${pools.join(', ')}, so another autoscaler may run; it can see the run's pools`]
      : []),
    ...(isExternal && mode === 'routed'
      ? [
          "the target is not limited to the run's objects: it manages the whole cluster as always, through this process, even while faults are injected",
        ]
      : []),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

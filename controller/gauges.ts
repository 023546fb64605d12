import { conditionOf } from '../model/conditions.ts';
import { LABEL } from '../model/kube.ts';
import type { Node, Pod } from '../model/kube.ts';
import { addResources, parseResources, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { KARPENTER, nameOf, nodePoolOf, timeOf } from './api.ts';
import type { DisruptionReason } from './api.ts';
import { poolUsage } from './capacity/pool-limits.ts';
import type { Context } from './context.ts';
import { Gauge, expose } from './core/metrics.ts';
import { allowedDisruptions } from './disruption/budgets.ts';
import type { PodTimes } from './provisioning/pod-times.ts';
import { isDaemonPod, isTerminal } from './provisioning/pods.ts';

const REASONS: readonly DisruptionReason[] = ['Empty', 'Underutilized', 'Drifted'];

type Series = readonly [Record<string, string>, number];

/** All counters, and gauges of the current state, in the text exposition format. */
export function exposeMetrics(context: Context): string {
  return expose([...context.metrics.families(), ...gauges(context)]);
}

/** With Karpenter's names, labels and units (core v1.8, AWS provider v1.9). They are computed on read, never stored. */
function gauges(context: Context): Gauge[] {
  return [
    ...ofScheduler(context),
    ...ofCluster(context),
    ...ofNodes(context),
    ...ofPools(context),
    ...ofPods(context),
    ...ofTypes(context),
  ];
}

function ofScheduler({ metrics }: Context): Gauge[] {
  const controller = 'provisioner';
  return [
    new Gauge('karpenter_scheduler_unschedulable_pods_count', 'The number of unschedulable Pods.', () => [
      [{ controller }, metrics.unschedulablePods],
    ]),
    new Gauge('karpenter_scheduler_ignored_pods_count', 'Number of pods ignored during scheduling by Karpenter', () => [
      [{}, metrics.ignoredPods],
    ]),
    new Gauge(
      'karpenter_voluntary_disruption_eligible_nodes',
      'Number of nodes eligible for disruption by Karpenter. Labeled by disruption reason.',
      () => [[{ reason: 'empty' }, metrics.eligibleNodes]],
    ),
  ];
}

function ofCluster({ state, runtime, scope }: Context): Gauge[] {
  return [
    new Gauge('karpenter_cluster_state_node_count', 'Current count of nodes in cluster state', () => [[{}, state.nodes.list().length]]),
    new Gauge('karpenter_cluster_state_synced', 'Returns 1 if cluster state is synced and 0 otherwise.', () => [
      [{}, state.isSynced() ? 1 : 0],
    ]),
    new Gauge('karpenter_cluster_state_unsynced_time_seconds', 'The time for which cluster state is not synced', () => [
      [{}, state.isSynced() ? 0 : (runtime.clock.nowMs() - state.startedMs) / 1_000],
    ]),
    new Gauge('karpenter_cluster_utilization_percent', 'Utilization of allocatable resources by pod requests', () => {
      const nodes = state.nodes.list();
      const allocatable = nodes.map((node) => parseResources(node.status?.allocatable)).reduce<Resources>(addResources, {});
      const requested = nodes.map((node) => requestsOn(state.podsOn(nameOf(node)))).reduce<Resources>(addResources, {});
      return Object.entries(allocatable)
        .filter(([, amount]) => amount > 0)
        .map(([name, amount]): Series => [{ resource_type: snakeCase(name) }, (100 * (requested[name] ?? 0)) / amount]);
    }),
    new Gauge('karpenter_nodes_initialized', 'The number of Nodes that are ready for pods. Not a metric of Karpenter.', () => [
      [
        {},
        state.nodes.list().filter((node) => node.metadata.labels?.[KARPENTER.initialized] === 'true' && scope.owns(nodePoolOf(node)))
          .length,
      ],
    ]),
  ];
}

function ofNodes({ state, runtime }: Context): Gauge[] {
  const gauge = (name: string, help: string, read: (node: Node) => Resources): Gauge =>
    new Gauge(`karpenter_nodes_${name}`, help, () =>
      state.nodes
        .list()
        .flatMap((node) => inUnits(read(node)).map(([type, amount]): Series => [{ ...nodeLabels(node), resource_type: type }, amount])),
    );
  const podsOn = (node: Node): Pod[] => [...state.podsOn(nameOf(node))];
  return [
    gauge('allocatable', 'Node allocatable are the resources allocatable by nodes.', ({ status }) => parseResources(status?.allocatable)),
    gauge(
      'total_pod_requests',
      'Node total pod requests are the resources requested by pods bound to nodes, including the DaemonSet pods.',
      (node) => requestsOn(podsOn(node)),
    ),
    gauge('total_daemon_requests', 'Node total daemon requests are the resource requested by DaemonSet pods bound to nodes.', (node) =>
      requestsOn(podsOn(node).filter(isDaemonPod)),
    ),
    gauge('system_overhead', 'Node system daemon overhead are the resources reserved for system overhead.', ({ status }) =>
      subtractResources(parseResources(status?.capacity), parseResources(status?.allocatable)),
    ),
    new Gauge('karpenter_nodes_current_lifetime_seconds', 'Node age in seconds', () =>
      state.nodes.list().map((node): Series => [nodeLabels(node), secondsSince(runtime.clock.nowMs(), node.metadata.creationTimestamp)]),
    ),
  ];
}

function ofPools(context: Context): Gauge[] {
  const { state, runtime } = context;
  const pools = (read: (pool: ReturnType<typeof state.pools.list>[number]) => Resources) => (): Series[] =>
    state.pools
      .list()
      .flatMap((pool) => inUnits(read(pool)).map(([type, amount]): Series => [{ nodepool: nameOf(pool), resource_type: type }, amount]));
  return [
    new Gauge(
      'karpenter_nodepools_limit',
      'Limits specified on the nodepool that restrict the quantity of resources provisioned. Labeled by nodepool name and resource type.',
      pools(({ spec }) => parseResources(spec.limits)),
    ),
    new Gauge(
      'karpenter_nodepools_usage',
      'The amount of resources that have been provisioned for a nodepool. Labeled by nodepool name and resource type.',
      pools((pool) => poolUsage(context, pool)),
    ),
    new Gauge(
      'karpenter_nodepools_allowed_disruptions',
      'The number of nodes for a given NodePool that can be concurrently disrupting.',
      () =>
        state.pools.list().flatMap((pool) =>
          REASONS.map((reason): Series => {
            return [{ nodepool: nameOf(pool), reason }, allowedDisruptions(context, nameOf(pool), reason, runtime.clock.nowMs())];
          }),
        ),
    ),
  ];
}

function ofPods({ state, runtime, podClock }: Context): Gauge[] {
  const waiting = (name: string, help: string, sinceMs: (times: PodTimes) => number | undefined): Gauge =>
    new Gauge(`karpenter_pods_${name}`, help, () =>
      [...podClock.waiting()].flatMap((times) => {
        const fromMs = sinceMs(times);
        if (fromMs === undefined) return [];
        const { namespace = '' } = times.pod.metadata;
        return [[{ name: nameOf(times.pod), namespace }, (runtime.clock.nowMs() - fromMs) / 1_000] as const];
      }),
    );
  const createdMs = ({ pod }: PodTimes): number | undefined => timeOf(pod.metadata.creationTimestamp);
  const ifUnbound = (read: (times: PodTimes) => number | undefined) => (times: PodTimes) =>
    conditionOf(times.pod, 'PodScheduled')?.status === 'True' ? undefined : read(times);
  return [
    new Gauge('karpenter_pods_state', 'Pod state is the current state of pods.', () =>
      state.pods.list().map((pod): Series => [podLabels(pod, state.nodes.get(pod.spec.nodeName ?? '')), 1]),
    ),
    waiting('unstarted_time_seconds', 'The time from pod creation until the pod is running.', createdMs),
    waiting('unbound_time_seconds', 'The time from pod creation until the pod is bound.', ifUnbound(createdMs)),
    waiting(
      'provisioning_unstarted_time_seconds',
      'The time from when Karpenter first thinks the pod can schedule until the pod is running.',
      ({ schedulableMs }) => schedulableMs,
    ),
    waiting(
      'provisioning_unbound_time_seconds',
      'The time from when Karpenter first thinks the pod can schedule until it binds.',
      ifUnbound(({ schedulableMs }) => schedulableMs),
    ),
    waiting(
      'provisioning_scheduling_undecided_time_seconds',
      'The time from when Karpenter has seen a pod without making a scheduling decision for the pod.',
      ifUnbound(({ seenMs, decidedMs }) => (decidedMs === undefined ? seenMs : undefined)),
    ),
  ];
}

function ofTypes({ instanceTypes, unavailable }: Context): Gauge[] {
  const types = (read: (type: ReturnType<typeof instanceTypes.list>[number]) => number) => (): Series[] =>
    instanceTypes.list().map((type): Series => [{ instance_type: type.name }, read(type)]);
  const offerings = (read: (offering: ReturnType<typeof instanceTypes.list>[number]['offerings'][number]) => number) => (): Series[] =>
    instanceTypes
      .list()
      .flatMap((type) => type.offerings)
      .map((offering): Series => {
        const { instanceType, zone, capacityType } = offering;
        return [{ instance_type: instanceType, capacity_type: capacityType, zone }, read(offering)];
      });
  return [
    new Gauge(
      'karpenter_cloudprovider_instance_type_cpu_cores',
      'VCPUs cores for a given instance type.',
      types(({ capacity }) => (capacity['cpu'] ?? 0) / 1_000),
    ),
    new Gauge(
      'karpenter_cloudprovider_instance_type_memory_bytes',
      'Memory, in bytes, for a given instance type.',
      types(({ capacity }) => capacity['memory'] ?? 0),
    ),
    new Gauge(
      'karpenter_cloudprovider_instance_type_offering_available',
      'Instance type offering availability, based on instance type, capacity type, and zone',
      offerings((offering) => (unavailable.has(offering) ? 0 : 1)),
    ),
    new Gauge(
      'karpenter_cloudprovider_instance_type_offering_price_estimate',
      'Instance type offering estimated hourly price, based on instance type, capacity type, and zone.',
      offerings(({ usdPerHour }) => usdPerHour),
    ),
  ];
}

/** Karpenter's well-known node labels, as metric label names. Those of instance types are omitted: the type implies them. */
const NODE_LABELS: readonly (readonly [string, string])[] = [
  KARPENTER.nodePool,
  LABEL.capacityType,
  LABEL.zone,
  LABEL.region,
  LABEL.instanceType,
  LABEL.arch,
  LABEL.os,
].map((key) => [snakeCase(key.split('/')[1] ?? ''), key]);

function nodeLabels(node: Node): Record<string, string> {
  const known = NODE_LABELS.map(([name, key]) => [name, node.metadata.labels?.[key] ?? '']);
  return { ...(Object.fromEntries(known) as Record<string, string>), node_name: nameOf(node), phase: '' };
}

function podLabels(pod: Pod, node: Node | undefined): Record<string, string> {
  const { namespace = '', ownerReferences = [] } = pod.metadata;
  const [owner] = ownerReferences;
  const labels = node?.metadata.labels ?? {};
  const { nodeName = '' } = pod.spec;
  return {
    name: nameOf(pod),
    namespace,
    owner: owner === undefined ? '' : `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`,
    node: nodeName,
    scheduled: String(nodeName !== ''),
    nodepool: node === undefined ? '' : nodePoolOf(node),
    zone: labels[LABEL.zone] ?? '',
    arch: labels[LABEL.arch] ?? '',
    capacity_type: labels[LABEL.capacityType] ?? '',
    instance_type: labels[LABEL.instanceType] ?? '',
    phase: pod.status?.phase ?? '',
  };
}

function requestsOn(pods: Iterable<Pod>): Resources {
  const running = [...pods].filter((pod) => !isTerminal(pod));
  return running.map(({ spec }) => readableRequests(spec)).reduce<Resources>(addResources, {});
}

function readableRequests(spec: Pod['spec']): Resources {
  try {
    return podRequests(spec);
  } catch {
    return { pods: 1 };
  }
}

/** CPU in cores, everything else in its own unit. */
function inUnits(resources: Resources): (readonly [string, number])[] {
  return Object.entries(resources).map(([name, amount]) => [snakeCase(name), name === 'cpu' ? amount / 1_000 : amount]);
}

function snakeCase(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function secondsSince(nowMs: number, timestamp: string | undefined): number {
  return (nowMs - (timeOf(timestamp) ?? nowMs)) / 1_000;
}

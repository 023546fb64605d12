import type { Truth } from '../history/events.ts';
import type { Pool } from '../model/catalogue.ts';
import { conditionOf } from '../model/conditions.ts';
import { drainHabitOf, hasOptedOut } from '../model/drain.ts';
import { WORKLOAD_LABEL, namedPool } from '../model/kube.ts';
import type { Condition, Job, KubeObject, Node, Pod, PodDisruptionBudget } from '../model/kube.ts';
import { parseProviderId } from '../model/provider-id.ts';
import { matchesLabels, parseRequirements } from '../model/requirements.ts';
import { matchesSelector } from '../model/selector.ts';
import { parseTime } from '../model/time.ts';
import { isTerminal } from '../world/controllers/pods.ts';
import { listIfServed } from '../world/list-if-served.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ClusterPort, InstancePort, LaunchTemplatePort } from '../world/ports.ts';

/** One thing that keeps the world from converging. */
export interface Waiting {
  readonly object: string;
  readonly why: string;
}

/** The inputs of the convergence check. */
interface ConvergenceSite {
  readonly cluster: ClusterPort;
  readonly instances: InstancePort;
  readonly templates: LaunchTemplatePort;
  /** Truths of the workloads deployed, by name. */
  readonly truths: ReadonlyMap<string, Truth>;
  /** As last applied. */
  readonly pools: readonly Pool[];
  /** Those of them that keep idle nodes. */
  readonly keeping: readonly Pool[];
  /** Those of them that are static and can have all their nodes. */
  readonly filled: readonly Pool[];
  /** In milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** How often the world is looked at. */
export const LOOK_PERIOD_MS = 500;

/** How a wait for convergence ended. */
export interface Convergence {
  /** What was pending at the last look; empty once converged. */
  readonly waiting: readonly Waiting[];
  /** Since when nothing has been pending, in milliseconds since the Unix epoch. */
  readonly sinceMs?: number;
}

/**
 * Polls until nothing has been pending for `quietMs`: a single look would miss actions that are decided but not yet done.
 * Gives up once the limit has passed and something is pending.
 */
export async function untilConverged(options: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly quietMs: number;
  readonly look: () => Promise<Waiting[]>;
}): Promise<Convergence> {
  const { clock, limitMs, quietMs, look } = options;
  const deadlineMs = clock.nowMs() + limitMs;
  let sinceMs: number | undefined;
  for (;;) {
    const waiting = await look();
    const nowMs = clock.nowMs();
    if (waiting.length > 0) {
      sinceMs = undefined;
      if (nowMs >= deadlineMs) return { waiting };
    } else {
      sinceMs ??= nowMs;
      if (nowMs - sinceMs >= quietMs) return { waiting, sinceMs };
    }
    // Never sleep past the deadline: something late by less than one period would count as late.
    const leftMs = waiting.length > 0 ? deadlineMs - nowMs : LOOK_PERIOD_MS;
    await clock.sleep(Math.min(LOOK_PERIOD_MS, leftMs));
  }
}

/**
 * What keeps the world from being settled: pods that should run and don't, nodes and instances that are starting or
 * terminating, nodes without a live instance, instances without a node, nodes that no pod needs, and static pools that lack nodes.
 * Impossible, malformed and finished pods and DaemonSet pods don't count, nor do deleted nodes that a pod holds, nor idle nodes that a
 * user keeps, that a static pool wants or that another pool keeps.
 */
export async function waitingToSettle({
  cluster,
  instances,
  truths,
  pools,
  keeping,
  filled,
  nowMs,
}: Omit<ConvergenceSite, 'templates'>): Promise<Waiting[]> {
  const [pods, nodes] = await Promise.all([cluster.list<Pod>('pods'), cluster.list<Node>('nodes')]);
  const held = nodes.some(isDeleting) ? await heldNodes(cluster, { pods, nodes, truths, pools, nowMs }) : NONE;
  const failedJobs = pods.some(({ status }) => status?.phase === 'Failed') ? await failedJobsIn(cluster) : NONE;
  const waiting: Waiting[] = [];
  const usedNodes = new Set<string>();
  for (const pod of pods) {
    // A finished pod's object may stay for a while.
    if (isFinished(pod, failedJobs)) continue;
    if (pod.spec.nodeName !== undefined && truthOf(pod, truths)?.kind !== 'daemon') usedNodes.add(pod.spec.nodeName);
    const why = podProblem(pod, truths);
    if (why !== undefined) waiting.push({ object: nameOf('pods', pod), why });
  }
  const kept = nodes.filter((node) => hasOptedOut(node) || keeping.some((pool) => isOf(pool, node)));
  const neededNodes = new Set([
    ...usedNodes,
    ...wantedIdleNodes(nodes, usedNodes, pools),
    ...kept.map(({ metadata }) => metadata.name ?? ''),
  ]);
  // Whoever expects the pods of these nodes to move has room for them, on a node each if they must not share one, and for pods that follow.
  const moving = pods.filter((pod) => held.has(pod.spec.nodeName ?? '') && truthOf(pod, truths)?.kind !== 'daemon' && !isTerminal(pod));
  const following = pods.filter((pod) => mayStillCome(pod) && moving.some((other) => mustBeNear(pod, other)));
  let spare = Math.max(held.size, moving.filter(needsOwnPlace).length) + following.length;
  const joined = new Set(nodes.map((node) => parseProviderId(node.spec?.providerID)));
  for (const node of nodes) {
    if (held.has(node.metadata.name ?? '')) continue;
    const why = nodeProblem(node, neededNodes, instances);
    if (why === UNNEEDED && spare > 0) spare -= 1;
    else if (why !== undefined) waiting.push({ object: nameOf('nodes', node), why });
  }
  for (const instance of instances.list()) {
    if (instance.state === 'terminated') continue;
    const object = `instance/${instance.id}`;
    if (instance.state !== 'running') waiting.push({ object, why: `it is ${instance.state}` });
    else if (!joined.has(instance.id)) waiting.push({ object, why: 'it is running but has no node' });
  }
  for (const pool of filled) {
    const wanted = pool.replicas ?? 0;
    const present = nodes.filter((node) => isOf(pool, node)).length;
    if (present < wanted) waiting.push({ object: `nodepools/${pool.name}`, why: `it has ${present} of ${wanted} nodes` });
  }
  return waiting;
}

/**
 * What is left after all workloads and pools were removed: pods, nodes, claims, instances and the target's launch templates
 * must all be gone.
 */
export async function waitingToVanish(
  { cluster, instances, templates }: Pick<ConvergenceSite, 'cluster' | 'instances' | 'templates'>,
  claimResources: readonly string[],
): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const resource of ['pods', 'nodes', ...claimResources]) {
    for (const object of await listIfServed(cluster, resource)) {
      if (resource === 'pods' && object.metadata.labels?.[WORKLOAD_LABEL] === undefined) continue;
      const leaving = object.metadata.deletionTimestamp === undefined ? 'it is not being deleted' : 'it is being deleted';
      const finalizers = object.metadata.finalizers ?? [];
      waiting.push({
        object: nameOf(resource, object),
        why: finalizers.length === 0 ? leaving : `${leaving}, finalizers: ${finalizers.join(', ')}`,
      });
    }
  }
  for (const instance of instances.list()) {
    if (instance.state !== 'terminated') waiting.push({ object: `instance/${instance.id}`, why: `it is ${instance.state}` });
  }
  for (const { id, name, createdBy } of templates.list()) {
    if (createdBy === 'target') waiting.push({ object: `launchtemplate/${id}`, why: `the launch template ${name} still exists` });
  }
  return waiting;
}

/** Whether others of its kind may have to be elsewhere. */
function needsOwnPlace({ spec: { affinity, topologySpreadConstraints = [], containers } }: Pod): boolean {
  return (
    (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0 ||
    topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ||
    containers.some(({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostPort > 0))
  );
}

/** Whether it waits for a node. */
function mayStillCome({ metadata, spec }: Pod): boolean {
  return spec.nodeName === undefined && metadata.deletionTimestamp === undefined && (spec.schedulingGates ?? []).length === 0;
}

/** Whether a pod must be where another one is, by a rule that selects it in its own namespace. */
function mustBeNear({ metadata, spec: { affinity } }: Pod, other: Pod): boolean {
  const terms = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return (
    metadata.namespace === other.metadata.namespace &&
    terms.some(({ labelSelector }) => matchesSelector(labelSelector, other.metadata.labels))
  );
}

const UNNEEDED = 'no pod needs it';
const NONE: ReadonlySet<string> = new Set();
/** Karpenter's annotation on a claim whose node loses its pods then, whatever these allow. */
const TERMINATION_TIME = 'karpenter.sh/nodeclaim-termination-timestamp';

/**
 * Names of the deleted nodes that stay until a user removes a pod: one that opted out of disruption, or that its budget never lets go.
 * An autoscaler must wait for them, unless the pool limits how long. Where the pool's nodes also expire, others follow all the time:
 * there a node is only waited for once its own time is over.
 */
async function heldNodes(
  cluster: ClusterPort,
  {
    pods,
    nodes,
    truths,
    pools,
    nowMs,
  }: { readonly pods: readonly Pod[]; readonly nodes: readonly Node[] } & Pick<ConvergenceSite, 'truths' | 'pools' | 'nowMs'>,
): Promise<ReadonlySet<string>> {
  const budgets = await cluster.list<PodDisruptionBudget>('poddisruptionbudgets');
  const untilMs = new Map(
    (await listIfServed(cluster, 'nodeclaims')).flatMap((claim) => {
      const time = claim.metadata.annotations?.[TERMINATION_TIME];
      const name = (claim as { readonly status?: { readonly nodeName?: string } }).status?.nodeName;
      return time === undefined || name === undefined ? [] : [[name, parseTime(time)] as const];
    }),
  );
  const expiring = pools.filter(({ expireAfterMs }) => expireAfterMs !== undefined);
  const isLimited = (node: Node): boolean => {
    const ms = untilMs.get(node.metadata.name ?? '');
    return ms !== undefined && (ms <= nowMs || !expiring.some((pool) => isOf(pool, node)));
  };
  const isStuck = (pod: Pod): boolean =>
    drainHabitOf(pod) === 'opted-out' ||
    (needsBudget(pod) && budgets.some((budget) => selects(budget, pod) && neverAllows(budget, truthOf(pod, truths))));
  const holding = new Set(
    pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isTerminal(pod) && isStuck(pod)).map(({ spec }) => spec.nodeName),
  );
  return new Set(
    nodes
      .filter((node) => isDeleting(node) && !isLimited(node))
      .flatMap(({ metadata: { name = '' } }) => (holding.has(name) ? [name] : [])),
  );
}

/** Other pods are evicted whatever their budget says. Source: "How API-initiated eviction works", and eviction.go of the API server */
function needsBudget({ status }: Pod): boolean {
  return status?.phase === 'Running';
}

/** Whether a budget counts a pod. */
export function selects({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return metadata.namespace === pod.metadata.namespace && matchesSelector(spec.selector, pod.metadata.labels);
}

/**
 * It needs all of its pods; or it waits for pods to run elsewhere, and no pool can serve these; or how many there should be is never known,
 * as for a Job with `maxUnavailable`.
 */
function neverAllows({ status }: PodDisruptionBudget, truth: Truth | undefined): boolean {
  if (status?.conditions?.some(isUnscalable) === true) return true;
  if (status === undefined || status.expectedPods === 0) return false;
  return status.desiredHealthy >= status.expectedPods || (status.disruptionsAllowed === 0 && truth?.kind === 'impossible');
}

/** Other failures of a sync pass. Source: pkg/controller/disruption/disruption.go, getExpectedScale */
function isUnscalable({ type, reason, message }: Condition): boolean {
  return type === 'DisruptionAllowed' && reason === 'SyncFailed' && message?.includes('does not implement the scale subresource') === true;
}

function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The uids of Jobs that have failed: they no longer replace their pods. */
async function failedJobsIn(cluster: ClusterPort): Promise<ReadonlySet<string>> {
  const jobs = await listIfServed<Job>(cluster, 'jobs');
  const failed = jobs.filter(({ status }) => status?.conditions?.some((one) => one.type === 'Failed' && one.status === 'True'));
  return new Set(failed.map(({ metadata }) => metadata.uid ?? ''));
}

/** It succeeded, or failed and its owner replaces it. @param failedJobs uids of Jobs that don't replace theirs */
function isFinished({ metadata, status }: Pod, failedJobs: ReadonlySet<string>): boolean {
  const isReplaced = metadata.ownerReferences?.some(({ uid }) => !failedJobs.has(uid)) === true;
  return status?.phase === 'Succeeded' || (status?.phase === 'Failed' && isReplaced);
}

function podProblem(pod: Pod, truths: ReadonlyMap<string, Truth>): string | undefined {
  const truth = truthOf(pod, truths);
  if (truth?.kind !== 'schedulable' && truth?.kind !== 'schedulable-after-heal') return undefined;
  if (pod.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const phase = pod.status?.phase ?? 'Pending';
  if (phase === 'Running') return undefined;
  return pod.spec.nodeName === undefined ? 'it has no node' : `it is ${phase} on ${pod.spec.nodeName}`;
}

function truthOf(pod: Pod, truths: ReadonlyMap<string, Truth>): Truth | undefined {
  return truths.get(pod.metadata.labels?.[WORKLOAD_LABEL] ?? '');
}

export function isReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

function nodeProblem(node: Node, neededNodes: ReadonlySet<string>, instances: InstancePort): string | undefined {
  if (node.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const providerId = node.spec?.providerID;
  if (providerId === undefined) return 'it has no provider id';
  const id = parseProviderId(providerId);
  if (id === undefined) return `its provider id '${providerId}' is not that of an instance`;
  const instance = instances.get(id);
  if (instance === undefined || instance.state === 'terminated') return `its instance ${id} is gone`;
  if (!isReady(node)) return 'it is not Ready';
  return neededNodes.has(node.metadata.name ?? '') ? undefined : UNNEEDED;
}

/**
 * Names of the idle nodes that static pools want: each has a fixed number of nodes, with pods or without. A node that names no pool and
 * that other pools allow as well may be theirs: with pods it counts for none, so that no pool is denied a node of its own.
 */
function wantedIdleNodes(nodes: readonly Node[], usedNodes: ReadonlySet<string>, pools: readonly Pool[]): ReadonlySet<string> {
  const wanted = new Set<string>();
  const present = nodes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isUsed = ({ metadata }: Node): boolean => usedNodes.has(metadata.name ?? '');
  for (const pool of pools) {
    if (pool.replicas === undefined) continue;
    const own = present.filter((node) => isOf(pool, node));
    const used = own.filter((node) => isUsed(node) && !pools.some((other) => other !== pool && isOf(other, node)));
    const idle = own.filter((node) => !isUsed(node) && !wanted.has(node.metadata.name ?? ''));
    for (const { metadata } of idle.slice(0, Math.max(0, pool.replicas - used.length))) wanted.add(metadata.name ?? '');
  }
  return wanted;
}

/** Whether a node belongs to a pool: the one that its label names, if any, or else each that allows it. */
export function isOf(pool: Pool, node: Node): boolean {
  const named = namedPool(node.metadata.labels);
  return named === undefined ? isAllowed(pool, node) : named === pool.name;
}

/** Whether a node matches a pool. */
function isAllowed({ requirements, labels, taints }: Pool, { metadata, spec }: Node): boolean {
  return (
    matchesLabels(parseRequirements(requirements), metadata.labels) &&
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value) &&
    taints.every(({ key, effect }) => spec?.taints?.some((taint) => taint.key === key && taint.effect === effect) === true)
  );
}

/** As findings name it. */
export function nameOf(resource: string, object: KubeObject): string {
  return [resource, object.metadata.namespace, object.metadata.name].filter((part) => part !== undefined).join('/');
}

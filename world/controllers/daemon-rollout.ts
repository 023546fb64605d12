import { defined } from '../../model/defined.ts';
import type { DaemonSet, Node, Pod } from '../../model/kube.ts';
import { shouldRun } from './daemon-placement.ts';
import { scaledValue } from './int-or-percent.ts';
import { isAvailable, isReady } from './pods.ts';
import { REVISION_HASH } from './template-hash.ts';

/** The current pods of a DaemonSet. */
export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Its active pods by the node that they run on or are meant for. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** Of the template. */
  readonly hash: string;
  readonly nowMs: number;
}

/** The pods to create and delete. */
export interface DaemonPlan {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';
const GENERATION_LABEL = 'pod-template-generation';

/** The labels that identify a pod's revision. */
export function revisionLabels({ metadata }: DaemonSet, hash: string): Readonly<Record<string, string>> {
  const generation = metadata.annotations?.[GENERATION_ANNOTATION];
  return { ...defined({ [GENERATION_LABEL]: generation }), [REVISION_HASH]: hash };
}

function isUpdated({ set, hash }: DaemonState, { metadata: { labels = {} } }: Pod): boolean {
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION];
  return labels[REVISION_HASH] === hash || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}

function minReadySeconds({ set }: DaemonState): number {
  return set.spec.minReadySeconds ?? 0;
}

/** Bound pods first, then older ones. */
export function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a, b].map(({ spec, metadata }) => {
    return `${(spec.nodeName ?? '') === '' ? 1 : 0} ${metadata.creationTimestamp} ${metadata.name}`;
  });
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

/** How many pods an update may add above or lack below one per node. */
function allowance(set: DaemonSet, desired: number): { readonly surge: number; readonly unavailable: number } {
  const { type = 'RollingUpdate', rollingUpdate = {} } = set.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const surge = scaledValue(rollingUpdate.maxSurge ?? 0, desired, 'up');
  const unavailable = scaledValue(rollingUpdate.maxUnavailable ?? 1, desired, 'up');
  return { surge, unavailable: desired > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * The surplus running pods of a node (`podsShouldBeOnNode` of `pkg/controller/daemon`).
 * @param running those that are neither finished nor being deleted
 * @returns also whether a pod is missing
 */
export function excess(state: DaemonState, running: readonly Pod[]): { readonly remove: readonly Pod[]; readonly missing: boolean } {
  const sorted = [...running].sort(byAge);
  if (allowance(state.set, 1).surge === 0) return { remove: sorted.slice(1), missing: false };
  if (sorted.length <= 1) return { remove: [], missing: sorted.length === 0 };
  const current = sorted.find((pod) => pod.metadata.labels?.[REVISION_HASH] === state.hash);
  const old = sorted.find((pod) => pod.metadata.labels?.[REVISION_HASH] !== state.hash);
  const remove = sorted.filter((pod) => pod !== current && pod !== old);
  if (current !== undefined && old !== undefined) {
    if (!isReady(old) || isAvailable(current, minReadySeconds(state), state.nowMs)) remove.push(old);
  }
  return { remove, missing: false };
}

/** The next step of a rolling update (`rollingUpdate` of `update.go`), nodes in the order of their names. */
export function updatePlan(state: DaemonState): DaemonPlan {
  const { set, nodes, podsByNode } = state;
  const wanted = nodes.filter((node) => shouldRun(set, node).run).map(({ metadata }) => metadata.name ?? '');
  const { surge, unavailable } = allowance(set, wanted.length);
  const names = [...new Set([...podsByNode.keys(), ...wanted])].sort();
  return surge === 0 ? replacePlan(state, names, unavailable) : surgePlan(state, names, surge, wanted.length);
}

/** The pods of the new and the old revision on a node; undefined if there are several of one. */
function pairOn(state: DaemonState, name: string): { readonly current?: Pod; readonly old?: Pod } | undefined {
  const pods = (state.podsByNode.get(name) ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [current, ...moreCurrent] = pods.filter((pod) => isUpdated(state, pod));
  const [old, ...moreOld] = pods.filter((pod) => !isUpdated(state, pod));
  if (moreCurrent.length + moreOld.length > 0) return undefined;
  return defined({ current, old });
}

/** Without surge: old pods are deleted as far as availability allows, and the nodes get new ones afterwards. */
function replacePlan(state: DaemonState, names: readonly string[], maxUnavailable: number): DaemonPlan {
  const available = (pod: Pod): boolean => isAvailable(pod, minReadySeconds(state), state.nowMs);
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const name of names) {
    const { current, old } = pairOn(state, name) ?? {};
    if ((current === undefined) === (old === undefined)) unavailable += 1;
    else if (current !== undefined) unavailable += available(current) ? 0 : 1;
    else if (old !== undefined && !available(old)) {
      broken.push(old);
      unavailable += 1;
    } else if (old !== undefined && unavailable < maxUnavailable) candidates.push(old);
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/** With surge: new pods are created first, and an old one is deleted when its successor is available. */
function surgePlan(state: DaemonState, names: readonly string[], maxSurge: number, desired: number): DaemonPlan {
  const available = (pod: Pod): boolean => isAvailable(pod, minReadySeconds(state), state.nowMs);
  const nodes = new Map(state.nodes.map((node) => [node.metadata.name ?? '', node]));
  let surging = 0;
  let availableCount = 0;
  const remove: Pod[] = [];
  const misplaced: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  for (const name of names) {
    const pair = pairOn(state, name);
    if (pair === undefined) {
      surging += 1;
      continue;
    }
    const { current, old } = pair;
    const counted = old ?? current;
    if (counted !== undefined && available(counted)) availableCount += 1;
    if (old === undefined) continue;
    if (current !== undefined) {
      if (available(current)) remove.push(old);
      else surging += 1;
      continue;
    }
    const node = nodes.get(name);
    const belongs = node !== undefined && shouldRun(state.set, node).run;
    if (!available(old)) {
      if (belongs) broken.push(name);
      else remove.push(old);
    } else if (!belongs) misplaced.push(old);
    else if (surging < maxSurge) candidates.push(name);
  }
  remove.push(...misplaced.slice(0, Math.max(0, availableCount - desired)));
  return { create: [...broken, ...candidates.slice(0, Math.max(0, maxSurge - surging))], remove };
}

/** `updateDaemonSetStatus`. */
export function daemonStatus(state: DaemonState): NonNullable<DaemonSet['status']> {
  const { set, nodes, podsByNode, nowMs } = state;
  let [desired, scheduled, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const [pod] = [...(podsByNode.get(node.metadata.name ?? '') ?? [])].sort(byAge);
    if (!shouldRun(set, node).run) {
      misscheduled += pod === undefined ? 0 : 1;
      continue;
    }
    desired += 1;
    if (pod === undefined) continue;
    scheduled += 1;
    ready += isReady(pod) ? 1 : 0;
    available += isAvailable(pod, minReadySeconds(state), nowMs) ? 1 : 0;
    updated += isUpdated(state, pod) ? 1 : 0;
  }
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: scheduled,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
    observedGeneration: set.metadata.generation ?? 0,
  };
}

import { conditionOf, withCondition } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import type { Condition, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import { formatTime } from '../../model/time.ts';
import { StatusError, refused } from '../../protocols/kube/status.ts';
import type { Deletion } from './deletion.ts';
import { checkPreconditions } from './deletion.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location, ApiObject } from './resource.ts';
import { EMPTY_STATUS } from './rules/budgets.ts';
import type { Version } from './store.ts';
import { validateLabelSelector } from './validation/label-selector.ts';

const EVICTION = { kind: 'Eviction', apiVersion: 'policy/v1', group: 'policy', version: 'v1' } as const;
/** Most disrupted pods in one budget's status. */
const MAX_DISRUPTED_PODS = 2000;
/** Retry-After when the budget's status is behind its spec. */
const RETRY_AFTER_SECONDS = 10;
const WOULD_VIOLATE = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * Evicts a pod, as the eviction subresource of Kubernetes 1.34 does (`pkg/registry/core/pod/storage/eviction.go`): checks
 * its budget, takes one disruption from it, marks the pod as disrupted and deletes it with the caller's or its own grace
 * period. As in the real server, the disruption is taken before preconditions are checked. Writes can't conflict here, since
 * a request runs in one turn, so there are no retries.
 * @throws StatusError 429 with or without `retryAfterSeconds` if the budget forbids it, 500 for two budgets, 409 for
 *   preconditions, 400, 403, 404
 */
export function evictPod(registry: Registry, at: Location, deletion: Deletion, writer: Writer, nowMs: number): void {
  const { kind, apiVersion } = EVICTION;
  const metadata = { name: at.name, ...defined({ namespace: at.namespace }) };
  const deleteOptions = Object.keys(deletion).length === 0 ? undefined : deletion;
  const object = { kind, apiVersion, metadata, ...defined({ deleteOptions }) };
  const details = () => ({ object, old: undefined, kind: EVICTION });
  registry.admit({ operation: 'CREATE', at, subresource: 'eviction', writer, details });
  const version = registry.get(at);
  const pod = version.object as ApiObject & Pod;
  const { preconditions } = deletion;
  const ownRevision = preconditions?.resourceVersion !== undefined;
  const asFound = { ...deletion, preconditions: { ...preconditions, resourceVersion: String(version.revision) } };
  if (mayIgnoreBudgets(pod)) {
    const pinned = pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined && !ownRevision;
    markAndDelete(registry, at, pinned ? asFound : deletion, writer, nowMs);
    return;
  }
  const spared = checkBudget(registry, at, pod, writer, nowMs) === 'spared';
  markAndDelete(registry, at, spared ? asFound : deletion, writer, nowMs);
}

/** Evicting a pod that has finished, not started, or is already terminating disrupts nothing. */
function mayIgnoreBudgets({ status, metadata }: Pod): boolean {
  const phase = status?.phase;
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || metadata.deletionTimestamp !== undefined;
}

/** @returns whether a disruption was taken, or the pod is unhealthy and costs nothing. @throws StatusError */
function checkBudget(registry: Registry, at: Location, pod: Pod, writer: Writer, nowMs: number): 'free' | 'charged' | 'spared' {
  const budgets = registry.list('poddisruptionbudgets.policy', at.namespace).filter(({ object }) => {
    const { selector } = (object as ApiObject & Partial<PodDisruptionBudget>).spec ?? {};
    return validateLabelSelector(selector, '').length === 0 && matchesSelector(selector, pod.metadata.labels);
  });
  const [version, ...more] = budgets;
  if (version === undefined) return 'free';
  if (more.length > 0) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, '', message);
  }
  const { spec, status = EMPTY_STATUS } = version.object as ApiObject & Partial<PodDisruptionBudget>;
  if (conditionOf(pod, 'Ready')?.status !== 'True') {
    const { currentHealthy, desiredHealthy } = status;
    if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return 'spared';
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return 'spared';
  }
  charge(registry, version, at, writer, nowMs);
  return 'charged';
}

/** Takes one disruption from a budget, and records the pod in it. @throws StatusError if none is left */
function charge(registry: Registry, version: Version, pod: Location, writer: Writer, nowMs: number): void {
  const budget = version.object as ApiObject & PodDisruptionBudget;
  const { name = '', namespace, generation = 0 } = budget.metadata;
  const { status = EMPTY_STATUS } = budget;
  const { observedGeneration = 0, disruptionsAllowed, disruptedPods = {}, desiredHealthy, currentHealthy } = status;
  const refuse = (why: string): never => {
    throw refused({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
  };
  if (observedGeneration < generation) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
  }
  if (disruptionsAllowed < 0) refuse('pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (disruptionsAllowed === 0) {
    throw tooManyRequests(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`);
  }
  const left = disruptionsAllowed - 1;
  const exhausted: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime: formatTime(nowMs),
    reason: 'InsufficientPods',
    message: '',
  };
  const next = {
    ...status,
    disruptionsAllowed: left,
    disruptedPods: { ...disruptedPods, [pod.name]: formatTime(nowMs) },
    ...(left === 0 ? { conditions: withCondition(status.conditions, exhausted) } : {}),
  };
  registry.replace({ ...registry.locate('poddisruptionbudgets.policy', name), namespace }, { ...budget, status: next }, writer);
}

/** 429 with the message of `errors.NewTooManyRequests` and the cause that clients look for. */
function tooManyRequests(cause: string, retryAfterSeconds?: number): StatusError {
  return new StatusError(429, 'TooManyRequests', WOULD_VIOLATE, {
    causes: [{ reason: 'DisruptionBudget', message: cause }],
    ...defined({ retryAfterSeconds }),
  });
}

function markAndDelete(registry: Registry, at: Location, deletion: Deletion, writer: Writer, nowMs: number): void {
  if (writer.dryRun) {
    registry.delete(at, deletion, writer, 'admitted');
    return;
  }
  const current = registry.get(at);
  checkPreconditions(at, current, deletion);
  const pod = current.object as ApiObject & Pod;
  const condition: Condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const conditions = withCondition(pod.status?.conditions, condition);
  const marked = registry.replace(at, { ...pod, status: { ...pod.status, conditions } }, writer);
  const { preconditions } = deletion;
  if (registry.find(at) === undefined) return;
  const moved = preconditions?.resourceVersion === undefined ? {} : { resourceVersion: String(marked.revision) };
  registry.delete(at, { ...deletion, preconditions: { ...preconditions, ...moved } }, writer, 'admitted');
}

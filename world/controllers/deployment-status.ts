import { conditionOf } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import type { Condition, Deployment, ReplicaSet } from '../../model/kube.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { availableOf, maxUnavailableOf, replicasOf, sumOf } from './rollout.ts';

type Status = NonNullable<Deployment['status']>;

const DEFAULT_PROGRESS_DEADLINE_S = 600;
const MAX_INT32 = 2 ** 31 - 1;

/** Seconds within which a Deployment must progress; undefined if there is no deadline. */
export function progressDeadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec.progressDeadlineSeconds ?? DEFAULT_PROGRESS_DEADLINE_S;
  return seconds === MAX_INT32 ? undefined : seconds;
}

export function progressing(status: 'True' | 'False' | 'Unknown', reason: string, message: string): Condition {
  return { type: 'Progressing', status, reason, message };
}

/**
 * Conditions after setting one as the deployment controller does: the same status and reason change nothing; a changed
 * condition moves to the end.
 */
export function setCondition(conditions: readonly Condition[], condition: Condition, nowMs: number): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return [...conditions];
  const now = formatTime(nowMs);
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  const others = conditions.filter((one) => one !== before);
  return [...others, { ...condition, lastUpdateTime: now, lastTransitionTime: since ?? now }];
}

/** `calculateStatus` of `sync.go`. */
export function countedStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  nowMs: number,
): Status & { conditions: Condition[] } {
  const available = sumOf(all, availableOf);
  const enough = available >= replicasOf(deployment) - maxUnavailableOf(deployment);
  const condition: Condition = enough
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const collisionCount = deployment.status?.collisionCount;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(all, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - available),
    ...defined({ collisionCount }),
    conditions: setCondition(deployment.status?.conditions ?? [], condition, nowMs),
  };
}

export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = replicasOf(deployment);
  return (
    status.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The status during a rollout, including the Progressing condition (`syncRolloutStatus` of `progress.go`). */
export function rolloutStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  nowMs: number,
): Status & { conditions: Condition[] } {
  const status = countedStatus(deployment, all, current, nowMs);
  const known = conditionOf(deployment, 'Progressing');
  const deadlineS = progressDeadlineOf(deployment);
  if (deadlineS === undefined) status.conditions = status.conditions.filter(({ type }) => type !== 'Progressing');
  else if (status.replicas !== status.updatedReplicas || known?.reason !== 'NewReplicaSetAvailable') {
    const what = current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
    if (isComplete(deployment, status)) {
      const condition = progressing('True', 'NewReplicaSetAvailable', `${what} has successfully progressed.`);
      status.conditions = setCondition(status.conditions, condition, nowMs);
    } else if (madeProgress(deployment.status ?? {}, status)) {
      const condition = progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`);
      const others = status.conditions.filter(({ type }) => type !== 'Progressing');
      const since = known?.status === 'True' ? known.lastTransitionTime : undefined;
      const now = formatTime(nowMs);
      status.conditions = [...others, { ...condition, lastUpdateTime: now, lastTransitionTime: since ?? now }];
    } else if (hasTimedOut(known, deadlineS, nowMs)) {
      const condition = progressing('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`);
      status.conditions = setCondition(status.conditions, condition, nowMs);
    }
  }
  const failure = [...(current === undefined ? [] : [current]), ...all]
    .map((set) => conditionOf({ status: { conditions: set.status?.conditions ?? [] } }, 'ReplicaFailure'))
    .find((condition) => condition !== undefined);
  status.conditions =
    failure === undefined
      ? status.conditions.filter(({ type }) => type !== 'ReplicaFailure')
      : setCondition(status.conditions, failure, nowMs);
  return status;
}

function madeProgress(before: Status, now: Status): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: Status): number => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(known: Condition | undefined, deadlineS: number, nowMs: number): boolean {
  if (known === undefined || known.reason === 'NewReplicaSetAvailable') return false;
  if (known.reason === 'ProgressDeadlineExceeded') return true;
  return parseTime(known.lastUpdateTime ?? '') + deadlineS * 1000 < nowMs;
}

/** Milliseconds until progress must be checked again; undefined if it need not be (`requeueStuckDeployment`). */
export function nextProgressCheckMs(deployment: Deployment, status: Status, nowMs: number): number | undefined {
  const known = conditionOf(deployment, 'Progressing');
  const deadlineS = progressDeadlineOf(deployment);
  if (deadlineS === undefined || known === undefined) return undefined;
  if (isComplete(deployment, status) || known.reason === 'ProgressDeadlineExceeded') return undefined;
  // One second more, since times are in whole seconds.
  return Math.max(0, parseTime(known.lastUpdateTime ?? '') + deadlineS * 1000 - nowMs) + 1000;
}

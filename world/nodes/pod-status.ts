import { withCondition } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import type { Condition, Container, ContainerStatus, Pod } from '../../model/kube.ts';
import type { AdmissionFailure } from './pod-admission.ts';

type PodStatus = NonNullable<Pod['status']>;

/** 128 + SIGKILL, for containers that didn't exit within their grace period. */
const KILLED = 137;
const SHUTDOWN_MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** The status that a kubelet writes when a pod's containers run. @param at RFC 3339 */
export function runningStatus(pod: Pod, hostIP: string, at: string): PodStatus {
  const types = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'];
  return {
    phase: 'Running',
    conditions: withAll(
      pod,
      types.map((type) => ({ type, status: 'True', lastTransitionTime: at })),
    ),
    startTime: pod.status?.startTime ?? at,
    hostIP,
    containerStatuses: containersOf(pod, (before, { resources: { requests, limits } = {} }) => ({
      ready: true,
      started: true,
      state: before?.state?.running === undefined ? { running: { startedAt: at } } : before.state,
      ...defined({ allocatedResources: requests }),
      resources: defined({ limits, requests }),
    })),
  };
}

/** The status that a kubelet writes for a pod that it rejects: `rejectPod` of `pkg/kubelet/kubelet.go`. */
export function rejectedStatus({ reason, message }: AdmissionFailure): PodStatus {
  return { phase: 'Failed', reason, message: `Pod was rejected: ${message}` };
}

/** Why a pod's containers ended. */
export type Ending = 'completed' | 'killed' | 'deadline' | 'shutdown';

/** The status that a kubelet writes for a pod whose containers have ended for good. @param at RFC 3339 */
export function endedStatus(pod: Pod, ending: Ending, at: string): PodStatus {
  const succeeded = ending === 'completed';
  const reason = succeeded ? 'PodCompleted' : 'PodFailed';
  const ended = (type: string): Condition => ({ type, status: 'False', reason, lastTransitionTime: at });
  const initialized: Condition = { type: 'Initialized', status: 'True', lastTransitionTime: at, ...(succeeded ? { reason } : {}) };
  const disrupted: Condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message: SHUTDOWN_MESSAGE,
    lastTransitionTime: at,
  };
  const unsandboxed: Condition = { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: at };
  const conditions = [unsandboxed, initialized, ended('Ready'), ended('ContainersReady')];
  return {
    phase: succeeded ? 'Succeeded' : 'Failed',
    ...WHY[ending],
    conditions: withAll(pod, ending === 'shutdown' ? [...conditions, disrupted] : conditions),
    containerStatuses: containersOf(pod, (before) => {
      const startedAt = before?.state?.running?.startedAt;
      const how = succeeded ? { exitCode: 0, reason: 'Completed' } : { exitCode: KILLED, reason: 'Error' };
      return {
        ready: false,
        started: false,
        state: { terminated: { ...how, ...defined({ startedAt }), finishedAt: at } },
      };
    }),
  };
}

const WHY: Readonly<Record<Ending, Pick<PodStatus, 'reason' | 'message'>>> = {
  completed: {},
  killed: {},
  deadline: { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' },
  shutdown: { reason: 'Terminated', message: SHUTDOWN_MESSAGE },
};

function withAll(pod: Pod, conditions: readonly Condition[]): Condition[] {
  return conditions.reduce((all, condition) => withCondition(all, condition), [...(pod.status?.conditions ?? [])]);
}

/** Containers never restart here, and images have no digests. */
function containersOf(
  pod: Pod,
  state: (
    before: ContainerStatus | undefined,
    container: Container,
  ) => Pick<ContainerStatus, 'ready' | 'started' | 'state' | 'resources' | 'allocatedResources'>,
): ContainerStatus[] {
  return pod.spec.containers.map((container) => {
    const { name, image = '' } = container;
    const before = pod.status?.containerStatuses?.find((one) => one.name === name);
    return { name, image, imageID: before?.imageID ?? '', restartCount: before?.restartCount ?? 0, ...state(before, container) };
  });
}

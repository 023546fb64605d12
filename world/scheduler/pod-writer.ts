import { conditionOf, withCondition } from '../../model/conditions.ts';
import type { KubeEvent, Pod } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { EventRecorder } from '../events.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import type { PodInfo } from './pod-info.ts';

export const SCHEDULER_NAME = 'default-scheduler';

/** The change of a pod's nominated node: a name, cleared, or unchanged. */
export type Nomination = { readonly nodeName: string | undefined } | 'as it was';

/** What the scheduler writes about pods: conditions, nominations, Events, and evictions of victims. Refusals are ignored. */
export class PodWriter {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #events: EventRecorder;

  constructor({ port, clock, random }: { readonly port: ClusterPort; readonly clock: Clock; readonly random: Random }) {
    this.#port = port;
    this.#clock = clock;
    this.#events = new EventRecorder({ port, clock, random, component: SCHEDULER_NAME });
  }

  async recordScheduled({ pod, key }: PodInfo, nodeName: string): Promise<void> {
    const message = `Successfully assigned ${key} to ${nodeName}`;
    await this.#events.record({ about: aboutPod(pod), type: 'Normal', reason: 'Scheduled', message });
  }

  /** Reports why a pod is unschedulable, if that has changed: the original writes an Event per attempt, and counts equal ones. */
  async recordUnschedulable({ pod }: PodInfo, message: string, nomination: Nomination): Promise<void> {
    const written = await attempt(async () => {
      const at = refOf(pod);
      const now = await this.#port.get<Pod>(at);
      if (now === undefined || now.metadata.uid !== pod.metadata.uid || !isWaiting(now)) return false;
      const known = conditionOf(now, 'PodScheduled');
      const isNews = known?.status !== 'False' || known.reason !== 'Unschedulable' || known.message !== message;
      const nominated = nomination === 'as it was' ? now.status?.nominatedNodeName : nomination.nodeName;
      const moves = nominated !== now.status?.nominatedNodeName;
      if (!isNews && !moves) return false;
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
      const conditions = withCondition(now.status?.conditions, { ...condition, lastTransitionTime: formatTime(this.#clock.nowMs()) });
      await this.#port.patch(at, { status: { conditions, ...(moves ? { nominatedNodeName: nominated ?? null } : {}) } }, 'status');
      return isNews;
    });
    if (written !== true) return;
    await this.#events.record({ about: aboutPod(pod), type: 'Warning', reason: 'FailedScheduling', message });
  }

  /** Clears a nomination that another pod's preemption has invalidated. */
  async clearNomination({ pod }: PodInfo): Promise<void> {
    await attempt(() => this.#port.patch(refOf(pod), { status: { nominatedNodeName: null } }, 'status'));
  }

  /** Evicts a victim: first its condition, then its deletion with its own grace period. */
  async evict({ pod, uid }: PodInfo, preemptor: PodInfo, nodeName: string): Promise<void> {
    const at = refOf(pod);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${preemptor.pod.spec.schedulerName ?? SCHEDULER_NAME}: preempting to accommodate a higher priority pod`,
    } as const;
    const evicted = await attempt(async () => {
      const now = await this.#port.get<Pod>(at);
      if (now === undefined || now.metadata.uid !== uid) return false;
      const conditions = withCondition(now.status?.conditions, { ...condition, lastTransitionTime: formatTime(this.#clock.nowMs()) });
      await this.#port.patch(at, { status: { conditions } }, 'status');
      await this.#port.delete(at, { uid });
      return true;
    });
    if (evicted !== true) return;
    const message = `Preempted by pod ${preemptor.uid} on node ${nodeName}`;
    await this.#events.record({ about: aboutPod(pod), type: 'Normal', reason: 'Preempted', message });
  }
}

/** Whether this scheduler should find a node for it. */
export function isWaiting({ metadata, spec, status }: Pod): boolean {
  return (
    (spec.nodeName ?? '') === '' &&
    metadata.deletionTimestamp === undefined &&
    (spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    (spec.schedulingGates ?? []).length === 0 &&
    status?.phase !== 'Succeeded' &&
    status?.phase !== 'Failed'
  );
}

export function refOf({ metadata: { namespace = 'default', name = '' } }: Pod): { resource: 'pods'; namespace: string; name: string } {
  return { resource: 'pods', namespace, name };
}

function aboutPod({ metadata: { namespace, name, uid } }: Pod): KubeEvent['involvedObject'] {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
}

/** @returns undefined if the cluster refused */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return undefined;
  }
}

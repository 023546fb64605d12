import { conditionOf, withCondition } from '../../model/conditions.ts';
import type { Condition, Node, Pod } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { refOf } from './ownership.ts';
import { isTerminal } from './pods.ts';

/** `gcCheckPeriod` of the controller manager. */
export const POD_GC_PERIOD_MS = 20_000;
/** `quarantineTime`: how long a node must have been missing before its pods are deleted. */
export const POD_GC_QUARANTINE_MS = 40_000;
/** `--terminated-pod-gc-threshold`: how many finished pods are kept. */
const TERMINATED_POD_THRESHOLD = 12_500;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

interface PodGarbageCollectorOptions {
  /** Of the principal `workloads`: a part of the controller manager. */
  readonly port: ClusterPort;
  readonly clock: Clock;
}

/**
 * The pod garbage collector (`k8s.io/kubernetes/pkg/controller/podgc`). Every period it force-deletes: finished pods beyond a
 * threshold; terminating pods of nodes that are out of service; pods bound to a node that no longer exists; terminating pods
 * that were never bound.
 */
export class PodGarbageCollector implements WorldPart {
  readonly #options: PodGarbageCollectorOptions;
  /** Since when a node has been missing, by name. */
  readonly #missingSinceMs = new Map<string, number>();

  constructor(options: PodGarbageCollectorOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#options.clock, signal);
    tasks.every(POD_GC_PERIOD_MS, () => this.#collect());
    await tasks.done();
  }

  async #collect(): Promise<void> {
    const { port } = this.#options;
    const nodes = new Map((await port.list<Node>('nodes')).map((node) => [node.metadata.name ?? '', node]));
    const pods = await port.list<Pod>('pods');
    const over = pods.filter(isTerminal).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    for (const pod of over.slice(0, Math.max(0, over.length - TERMINATED_POD_THRESHOLD))) await this.#remove(pod);
    const terminating = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const pod of terminating) if (isOutOfService(nodes.get(pod.spec.nodeName ?? ''))) await this.#remove(pod);
    await this.#collectOrphans(pods, nodes);
    for (const pod of terminating) if ((pod.spec.nodeName ?? '') === '') await this.#remove(pod);
  }

  async #collectOrphans(pods: readonly Pod[], nodes: ReadonlyMap<string, Node>): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const orphans = pods.filter(({ spec }) => (spec.nodeName ?? '') !== '' && !nodes.has(spec.nodeName ?? ''));
    const missing = new Set(orphans.map(({ spec }) => spec.nodeName ?? ''));
    for (const name of this.#missingSinceMs.keys()) if (!missing.has(name)) this.#missingSinceMs.delete(name);
    for (const name of missing) if (!this.#missingSinceMs.has(name)) this.#missingSinceMs.set(name, nowMs);
    for (const pod of orphans) {
      const sinceMs = this.#missingSinceMs.get(pod.spec.nodeName ?? '') ?? nowMs;
      if (nowMs - sinceMs >= POD_GC_QUARANTINE_MS) await this.#remove(pod, 'PodGC: node no longer exists');
    }
  }

  /** @param why the message of the pod's DisruptionTarget condition, if it gets one */
  async #remove(pod: Pod, why?: string): Promise<void> {
    const { port, clock } = this.#options;
    const at = refOf('pods', pod);
    const { uid = '' } = pod.metadata;
    try {
      if (!isTerminal(pod)) {
        const reason = 'DeletionByPodGC';
        const lastTransitionTime = formatTime(clock.nowMs());
        const disrupted: Condition | undefined =
          why === undefined ? undefined : { type: 'DisruptionTarget', status: 'True', reason, message: why, lastTransitionTime };
        const conditions = disrupted === undefined ? {} : { conditions: withCondition(pod.status?.conditions, disrupted) };
        await port.patch(at, { status: { phase: 'Failed', ...conditions } }, 'status');
      }
      await port.delete(at, { gracePeriodSeconds: 0, uid });
    } catch (error) {
      // Deleted or changed concurrently: the next round handles it.
      if (!(error instanceof ClusterError)) throw error;
    }
  }
}

/** Evicted ones first, then by age. */
function orderOf({ metadata, status }: Pod): string {
  return `${status?.phase === 'Failed' && status.reason === 'Evicted' ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`;
}

function isOutOfService(node: Node | undefined): boolean {
  if (node === undefined || conditionOf(node, 'Ready')?.status === 'True') return false;
  return node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;
}

import { conditionOf, withCondition } from '../model/conditions.ts';
import type { Node, Pod } from '../model/kube.ts';
import { formatTime } from '../model/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterError } from './ports.ts';
import type { ClusterPort } from './ports.ts';
import { Tasks } from './tasks.ts';
import type { WorldPart } from './tasks.ts';

/** `gcCheckPeriod` of the controller manager. */
export const POD_GC_PERIOD_MS = 20_000;
/** `quarantineTime`: for how long a node must have been missing before its pods are deleted. */
export const POD_GC_QUARANTINE_MS = 40_000;

interface PodGarbageCollectorOptions {
  /** Of the principal `workloads`: a part of the controller manager. */
  readonly port: ClusterPort;
  readonly clock: Clock;
}

/** The controller manager's pod garbage collector, for orphans: pods bound to a node that doesn't exist any more. */
export class PodGarbageCollector implements WorldPart {
  readonly #options: PodGarbageCollectorOptions;
  /** Since when a node has been missed, by name. */
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
    const { port, clock } = this.#options;
    const nowMs = clock.nowMs();
    const nodes = new Set((await port.list<Node>('nodes')).map(({ metadata }) => metadata.name ?? ''));
    const orphans = (await port.list<Pod>('pods')).filter(({ spec }) => (spec.nodeName ?? '') !== '' && !nodes.has(spec.nodeName ?? ''));
    const missing = new Set(orphans.map(({ spec }) => spec.nodeName ?? ''));
    for (const name of this.#missingSinceMs.keys()) if (!missing.has(name)) this.#missingSinceMs.delete(name);
    for (const name of missing) if (!this.#missingSinceMs.has(name)) this.#missingSinceMs.set(name, nowMs);
    for (const pod of orphans) {
      const sinceMs = this.#missingSinceMs.get(pod.spec.nodeName ?? '') ?? nowMs;
      if (nowMs - sinceMs >= POD_GC_QUARANTINE_MS) await this.#remove(pod);
    }
  }

  async #remove(pod: Pod): Promise<void> {
    const { port, clock } = this.#options;
    const { name = '', namespace = 'default', uid = '' } = pod.metadata;
    const at = { resource: 'pods', namespace, name };
    try {
      if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') {
        const lastTransitionTime = formatTime(clock.nowMs());
        const disrupted = {
          type: 'DisruptionTarget',
          status: 'True' as const,
          reason: 'DeletionByPodGC',
          message: 'PodGC: node no longer exists',
          lastTransitionTime,
        };
        const ready = conditionOf(pod, 'Ready');
        const conditions = withCondition(pod.status?.conditions, disrupted);
        const ended = ready === undefined ? conditions : withCondition(conditions, { ...ready, status: 'False', lastTransitionTime });
        await port.patch(at, { status: { phase: 'Failed', conditions: ended } }, 'status');
      }
      await port.delete(at, { gracePeriodSeconds: 0, uid });
    } catch (error) {
      // Gone, or somebody else's by now: the next round sees.
      if (!(error instanceof ClusterError)) throw error;
    }
  }
}

import { conditionOf, withCondition } from '../model/conditions.ts';
import type { Condition, Node, Taint } from '../model/kube.ts';
import { formatTime, parseTime } from '../model/time.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { EventRecorder } from './events.ts';
import type { Heartbeats } from './nodes/kubelets.ts';
import { TAINT, updateTaints } from './nodes/node-objects.ts';
import type { ClusterPort } from './ports.ts';
import { Tasks, WorkQueue } from './tasks.ts';
import type { WorldPart } from './tasks.ts';

/** `--node-monitor-period` of the controller manager. */
export const NODE_MONITOR_PERIOD_MS = 5_000;
/** `--node-monitor-grace-period` in 1.34: a node without a heartbeat for so long is Unknown. */
export const NODE_MONITOR_GRACE_MS = 50_000;
/** `--node-startup-grace-period`: the same for a node that never had a heartbeat. */
export const NODE_STARTUP_GRACE_MS = 60_000;
/** From a change of a node to its taints. */
export const NODE_TAINT_REACTION = { minMs: 10, maxMs: 200 } as const;

const SILENT_CONDITIONS = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];
const MANAGED_TAINTS: readonly string[] = [TAINT.notReady, TAINT.unreachable, TAINT.unschedulable];

interface NodeLifecycleOptions {
  /** Of the principal `workloads`: a part of the controller manager. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly heartbeats: Heartbeats;
}

/**
 * The controller manager's node lifecycle controller, without evictions: finds silent nodes, and keeps the taints
 * `not-ready`, `unreachable` and `unschedulable` in line with the Ready condition and the cordon. As with the real one a
 * node that is not Ready has its taint twice: with NoSchedule, which the admission plugin TaintNodesByCondition gives to
 * every new node, and with NoExecute, by which pods are evicted. The NoExecute taints are set at once for every node (the real rate limits of 0.1 nodes/s a zone are missing), and no pod is evicted by
 * them: pods of a dead node wait for its Node object to go.
 */
export class NodeLifecycle implements WorldPart {
  readonly #options: NodeLifecycleOptions;
  readonly #events: EventRecorder;

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'node-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new WorkQueue({
      tasks,
      random: random.fork('taints'),
      delay: NODE_TAINT_REACTION,
      reconcile: (name) => updateTaints(port, name, (node) => this.#taintsFor(node)),
    });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type !== 'DELETED' && !isInLine(object)) queue.add(object.metadata.name ?? '');
    });
    tasks.every(NODE_MONITOR_PERIOD_MS, () => this.#monitor());
    await tasks.done();
  }

  /** Turns the conditions of nodes Unknown whose kubelet has been silent for too long. */
  async #monitor(): Promise<void> {
    const { port, clock } = this.#options;
    const nowMs = clock.nowMs();
    for (const node of await port.list<Node>('nodes')) {
      if (!this.#isSilent(node, nowMs)) continue;
      const { name = '', uid } = node.metadata;
      const at = formatTime(nowMs);
      const conditions = SILENT_CONDITIONS.reduce<Condition[]>((all, type) => {
        const known = all.find((condition) => condition.type === type);
        if (known?.status === 'Unknown') return all;
        const [reason, message] =
          known === undefined
            ? ['NodeStatusNeverUpdated', 'Kubelet never posted node status.']
            : ['NodeStatusUnknown', 'Kubelet stopped posting node status.'];
        return withCondition(all, { ...known, type, status: 'Unknown', reason, message, lastTransitionTime: at });
      }, node.status?.conditions ?? []);
      await port.patch(
        { resource: 'nodes', name },
        { metadata: { resourceVersion: node.metadata.resourceVersion }, status: { conditions } },
        'status',
      );
      await this.#events.record({
        about: { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) },
        type: 'Normal',
        reason: 'NodeNotReady',
        message: `Node ${name} status is now: NodeNotReady`,
      });
    }
  }

  #isSilent(node: Node, nowMs: number): boolean {
    if (conditionOf(node, 'Ready')?.status === 'Unknown') return false;
    const lastMs = this.#options.heartbeats.lastHeartbeatMs(node.metadata.name ?? '');
    const createdMs = parseTime(node.metadata.creationTimestamp ?? '');
    // A predecessor's heartbeats under the same name say nothing about a node that was created later.
    if (lastMs === undefined || lastMs < createdMs) return nowMs - createdMs > NODE_STARTUP_GRACE_MS;
    return nowMs - lastMs > NODE_MONITOR_GRACE_MS;
  }

  #taintsFor(node: Node): readonly Taint[] {
    const present = node.spec?.taints ?? [];
    const wanted = wantedTaints(node);
    const kept = present.filter((taint) => !MANAGED_TAINTS.includes(taint.key) || wanted.some((one) => isSame(one, taint)));
    const added = wanted.filter((taint) => !present.some((one) => isSame(one, taint)));
    const timeAdded = formatTime(this.#options.clock.nowMs());
    return [...kept, ...added.map((taint): Taint => ({ ...taint, timeAdded }))];
  }
}

/** The managed taints that a node should have, as TaintNodesByCondition and taint-based eviction set them. */
function wantedTaints(node: Node): Taint[] {
  const wanted: Taint[] = [];
  const ready = conditionOf(node, 'Ready')?.status;
  if (ready !== undefined && ready !== 'True') {
    const key = ready === 'False' ? TAINT.notReady : TAINT.unreachable;
    wanted.push({ key, effect: 'NoSchedule' }, { key, effect: 'NoExecute' });
  }
  if (node.spec?.unschedulable === true) wanted.push({ key: TAINT.unschedulable, effect: 'NoSchedule' });
  return wanted;
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

function isInLine(node: Node): boolean {
  const wanted = wantedTaints(node);
  const managed = (node.spec?.taints ?? []).filter(({ key }) => MANAGED_TAINTS.includes(key));
  return managed.length === wanted.length && wanted.every((taint) => managed.some((one) => isSame(one, taint)));
}

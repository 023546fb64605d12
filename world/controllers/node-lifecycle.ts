import { conditionOf, withCondition } from '../../model/conditions.ts';
import { LABEL } from '../../model/kube.ts';
import type { Condition, Node, Pod, Taint } from '../../model/kube.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { EventRecorder } from '../events.ts';
import type { Heartbeats } from '../nodes/kubelets.ts';
import { TAINT, hasTaint, updateTaints } from '../nodes/node-objects.ts';
import { ClusterError } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { withConditionTaints } from './node-condition-taints.ts';
import { refOf } from './ownership.ts';
import type { ControllerOptions } from './pod-control.ts';
import { ZoneDisruption } from './zone-disruption.ts';
import type { ZoneCount } from './zone-disruption.ts';

/** `--node-monitor-period` of the controller manager. */
export const NODE_MONITOR_PERIOD_MS = 5_000;
/** `--node-monitor-grace-period` in 1.34: a node without a heartbeat for this long is Unknown. */
export const NODE_MONITOR_GRACE_MS = 50_000;
/** `--node-startup-grace-period`: the same for a node that never had a status. */
export const NODE_STARTUP_GRACE_MS = 60_000;
/** From a change of a node to its NoSchedule taints. */
export const NODE_TAINT_REACTION = { minMs: 10, maxMs: 200 } as const;

const SILENT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
const EVICTING: readonly string[] = [TAINT.notReady, TAINT.unreachable];
/** Nodes with this label don't count for the state of their zone. */
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/**
 * The node lifecycle controller (`k8s.io/kubernetes/pkg/controller/nodelifecycle`). At once: NoSchedule taints for conditions
 * and cordons. Every period: silent nodes become Unknown and their pods unready; nodes that are not Ready are queued for the
 * NoExecute taint that evicts pods, one every 10 s per zone, and slower or not at all if much of a zone has failed; nodes that
 * are Ready lose it. Heartbeats come directly from the kubelets, not from their leases.
 */
export class NodeLifecycle implements WorldPart {
  readonly #options: ControllerOptions & { readonly heartbeats: Heartbeats };
  readonly #events: EventRecorder;
  readonly #zones = new ZoneDisruption();
  /** Uids by name. */
  readonly #known = new Map<string, string>();
  /** Names of nodes waiting for their NoExecute taint, by zone. */
  #queues = new Map<string, string[]>();
  #passPlanned = false;
  /** When the full disruption of the cluster ended: earlier silence does not count. */
  #disruptionEndedMs = 0;

  constructor(options: ControllerOptions & { readonly heartbeats: Heartbeats }) {
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
      reconcile: (name) => {
        return updateTaints(port, name, (node) => withConditionTaints(node, formatTime(clock.nowMs())) ?? node.spec?.taints ?? []);
      },
    });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type !== 'DELETED' && withConditionTaints(object, '') !== undefined) queue.add(object.metadata.name ?? '');
    });
    tasks.every(NODE_MONITOR_PERIOD_MS, () => this.#monitor(tasks));
    await tasks.done();
  }

  async #monitor(tasks: Tasks): Promise<void> {
    const { port, clock } = this.#options;
    const nodes = await port.list<Node>('nodes');
    await this.#trackNodes(nodes);
    const nowMs = clock.nowMs();
    const zones = new Map<string, { ready: number; notReady: number }>();
    this.#queues = new Map();
    for (const node of nodes) {
      const current = this.#isSilent(node, nowMs) ? await this.#turnUnknown(node, nowMs) : node;
      if (current === undefined) continue;
      const ready = conditionOf(current, 'Ready')?.status;
      const zone = zoneOf(current);
      if (current.metadata.labels?.[EXCLUDED] === undefined) {
        const count = zones.get(zone) ?? { ready: 0, notReady: 0 };
        if (ready === 'True') count.ready += 1;
        else count.notReady += 1;
        zones.set(zone, count);
      }
      await this.#queueForTaint(current, zone, ready);
    }
    await this.#follow(zones, nodes, nowMs);
    await this.#taintQueued(tasks);
  }

  /** Registers new nodes and forgets deleted ones. A new one starts without NoExecute taints. */
  async #trackNodes(nodes: readonly Node[]): Promise<void> {
    const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
    for (const node of nodes) {
      const { name = '', uid = '' } = node.metadata;
      if (this.#known.has(name)) continue;
      this.#known.set(name, uid);
      await this.#recordEvent(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      if (isEvicting(node)) await this.#removeEvictionTaints(name);
    }
    for (const [name, uid] of [...this.#known]) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      await this.#recordEvent({ metadata: { name, uid } }, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  #isSilent(node: Node, nowMs: number): boolean {
    const ready = conditionOf(node, 'Ready');
    if (ready?.status === 'Unknown') return false;
    const createdMs = parseTime(node.metadata.creationTimestamp ?? '');
    // A predecessor's heartbeats under the same name say nothing about a node that was created later.
    const lastMs = Math.max(createdMs, this.#disruptionEndedMs, this.#options.heartbeats.lastHeartbeatMs(node.metadata.name ?? '') ?? 0);
    return nowMs - lastMs > (ready === undefined ? NODE_STARTUP_GRACE_MS : NODE_MONITOR_GRACE_MS);
  }

  /** @returns undefined if it was deleted or changed meanwhile: the next period handles it */
  async #turnUnknown(node: Node, nowMs: number): Promise<Node | undefined> {
    const { name = '', resourceVersion, creationTimestamp } = node.metadata;
    const lastTransitionTime = formatTime(nowMs);
    const conditions = SILENT_CONDITIONS.reduce<Condition[]>((all, type) => {
      const known = all.find((condition) => condition.type === type);
      if (known?.status === 'Unknown') return all;
      const said =
        known === undefined
          ? { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.', lastHeartbeatTime: creationTimestamp }
          : { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
      return withCondition(all, { ...known, type, status: 'Unknown', ...said, lastTransitionTime });
    }, node.status?.conditions ?? []);
    try {
      const change = { metadata: { resourceVersion }, status: { conditions } };
      const changed = await this.#options.port.patch<Node>({ resource: 'nodes', name }, change, 'status');
      if (conditionOf(node, 'Ready')?.status === 'True') {
        await this.#recordEvent(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
        await this.#markPodsUnready(name, lastTransitionTime);
      }
      return changed;
    } catch (error) {
      if (error instanceof ClusterError) return undefined;
      throw error;
    }
  }

  async #markPodsUnready(nodeName: string, lastTransitionTime: string): Promise<void> {
    const { port } = this.#options;
    for (const pod of await port.list<Pod>('pods', { onNode: nodeName })) {
      const ready = conditionOf(pod, 'Ready');
      if (ready === undefined || ready.status === 'False') continue;
      const conditions = withCondition(pod.status?.conditions, { ...ready, status: 'False', lastTransitionTime });
      try {
        await port.patch(refOf('pods', pod), { status: { conditions } }, 'status');
      } catch (error) {
        if (error instanceof ClusterError) continue;
        throw error;
      }
      const { name, namespace, uid } = pod.metadata;
      const about = { apiVersion: 'v1', kind: 'Pod', name, namespace, uid };
      await this.#events.record({ about, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    }
  }

  /** `processTaintBaseEviction`: a taint with the other key is replaced at once, a first one waits for its turn. */
  async #queueForTaint(node: Node, zone: string, ready: Condition['status'] | undefined): Promise<void> {
    const { name = '' } = node.metadata;
    if (ready === undefined) return;
    if (ready === 'True') {
      if (isEvicting(node)) await this.#removeEvictionTaints(name);
      return;
    }
    const [wanted, other] = ready === 'False' ? [TAINT.notReady, TAINT.unreachable] : [TAINT.unreachable, TAINT.notReady];
    if (hasTaint(node, other, 'NoExecute')) await this.#evict(name);
    else if (!hasTaint(node, wanted, 'NoExecute')) this.#queues.set(zone, [...(this.#queues.get(zone) ?? []), name]);
  }

  async #follow(zones: ReadonlyMap<string, ZoneCount>, nodes: readonly Node[], nowMs: number): Promise<void> {
    const disruption = this.#zones.update(zones, nowMs);
    if (disruption === 'left') this.#disruptionEndedMs = nowMs;
    if (disruption !== 'entered') return;
    for (const { metadata } of nodes) await this.#removeEvictionTaints(metadata.name ?? '');
  }

  /** Gives queued nodes their NoExecute taint as fast as their zones allow; schedules itself again for the rest. */
  async #taintQueued(tasks: Tasks): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    let waitMs = Infinity;
    for (const [zone, queue] of this.#queues) {
      const bucket = this.#zones.bucketOf(zone, nowMs);
      for (let name = queue[0]; name !== undefined && bucket.tryTake(nowMs); name = queue[0]) {
        queue.shift();
        await this.#evict(name);
      }
      if (queue.length > 0) waitMs = Math.min(waitMs, bucket.waitMs(nowMs) ?? Infinity);
    }
    if (waitMs === Infinity || this.#passPlanned) return;
    this.#passPlanned = true;
    tasks.after(waitMs, async () => {
      this.#passPlanned = false;
      await this.#taintQueued(tasks);
    });
  }

  /** Sets the NoExecute taint for the Ready condition, in place of the other. */
  #evict(name: string): Promise<void> {
    return this.#changeTaints(name, (node) => {
      const status = conditionOf(node, 'Ready')?.status;
      const present = node.spec?.taints ?? [];
      if (status === undefined || status === 'True') return present;
      const key = status === 'False' ? TAINT.notReady : TAINT.unreachable;
      const kept = present.filter((taint) => taint.effect !== 'NoExecute' || !EVICTING.includes(taint.key) || taint.key === key);
      if (hasTaint(node, key, 'NoExecute')) return kept;
      return [...kept, { key, effect: 'NoExecute', timeAdded: formatTime(this.#options.clock.nowMs()) }];
    });
  }

  /** Removes the NoExecute taints of this controller. */
  #removeEvictionTaints(name: string): Promise<void> {
    return this.#changeTaints(name, ({ spec }) => {
      return (spec?.taints ?? []).filter(({ key, effect }) => effect !== 'NoExecute' || !EVICTING.includes(key));
    });
  }

  async #changeTaints(name: string, change: (node: Node) => readonly Taint[]): Promise<void> {
    try {
      await updateTaints(this.#options.port, name, change);
    } catch (error) {
      // Changed concurrently: the next period handles it.
      if (!(error instanceof ClusterError)) throw error;
    }
  }

  #recordEvent({ metadata: { name, uid } }: Node, reason: string, message: string): Promise<void> {
    return this.#events.record({ about: { apiVersion: 'v1', kind: 'Node', name, uid }, type: 'Normal', reason, message });
  }
}

function isEvicting(node: Node): boolean {
  return EVICTING.some((key) => hasTaint(node, key, 'NoExecute'));
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
  return `${labels[LABEL.region] ?? ''}/${labels[LABEL.zone] ?? ''}`;
}

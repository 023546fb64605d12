import { isDeepStrictEqual } from 'node:util';
import type { DaemonSet, Node, Pod } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { daemonSpec, shouldRun, targetNode } from './daemon-placement.ts';
import { daemonStatus, excess, revisionLabels, updatePlan } from './daemon-rollout.ts';
import type { DaemonState } from './daemon-rollout.ts';
import { KeyQueue } from './key-queue.ts';
import { DAEMON_SET, claim, keyOf, ownerKey, podsFor, refOf, refOfKey } from './ownership.ts';
import { PodControl, slowStart } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isTerminal } from './pods.ts';
import { templateHash } from './template-hash.ts';

/** `BurstReplicas`: most pods created or deleted in one sync. */
const BURST = 250;
/** How long a failed daemon pod is kept before it is deleted: doubled each time on the same node. */
const FAILED_PODS_BACKOFF = { firstMs: 1_000, longestMs: 15 * 60_000 } as const;

/**
 * The DaemonSet controller (`k8s.io/kubernetes/pkg/controller/daemon`): one pod for each node that should run one, bound
 * there by the default scheduler; rolling updates with maxUnavailable or maxSurge. Revisions are only hashes of the template:
 * no ControllerRevision objects are kept. It reads from the store, not from a cache.
 */
export class DaemonSets implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #pods: PodControl;
  /** The watched DaemonSets, by key. */
  readonly #known = new Map<string, DaemonSet>();
  readonly #nodes = new Map<string, Node>();
  readonly #backoff = new Map<string, { readonly sinceMs: number; readonly delayMs: number }>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#pods = new PodControl({ ...options, kind: DAEMON_SET, component: 'daemonset-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<DaemonSet>('daemonsets', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#known.delete(keyOf(object));
      else this.#known.set(keyOf(object), object);
      queue.add(keyOf(object));
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      if (this.#known.size === 0) return;
      const key = ownerKey(object, DAEMON_SET);
      if (key !== undefined) queue.add(key);
      else if (type !== 'DELETED' && controllerOf(object) === undefined) this.#offer(object, queue);
    });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => this.#followNode(type, object, queue));
    await tasks.done();
  }

  #offer({ metadata }: Pod, queue: KeyQueue): void {
    for (const [key, { metadata: own, spec }] of this.#known) {
      if (own.namespace === metadata.namespace && matchesSelector(spec.selector, metadata.labels)) queue.add(key);
    }
  }

  /** A node matters when it is added, and when that changes whether a DaemonSet runs there. Its deletion matters through its pods. */
  #followNode(type: string, node: Node, queue: KeyQueue): void {
    const { name = '', labels } = node.metadata;
    const before = this.#nodes.get(name);
    if (type === 'DELETED') {
      this.#nodes.delete(name);
      return;
    }
    this.#nodes.set(name, node);
    if (this.#known.size === 0) return;
    if (before !== undefined && isDeepStrictEqual([labels, node.spec?.taints], [before.metadata.labels, before.spec?.taints])) return;
    for (const [key, set] of this.#known) {
      const now = shouldRun(set, node);
      const then = before === undefined ? { run: false, stay: false } : shouldRun(set, before);
      if (now.run !== then.run || now.stay !== then.stay) queue.add(key);
    }
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port, clock } = this.#options;
    const set = await port.get<DaemonSet>(refOfKey(DAEMON_SET, key));
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const { selector, template, updateStrategy, minReadySeconds = 0 } = set.spec;
    if (isDeepStrictEqual(selector, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      await this.#pods.recordEvent(set, 'Warning', 'SelectingAll', message);
      return;
    }
    const hash = templateHash(template);
    let state = await this.#readState(set, hash);
    if (await this.#manage(state, queue)) state = await this.#readState(set, hash);
    else if ((updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate') {
      const { create, remove } = updatePlan(state);
      if (await this.#apply(state, create, remove)) state = await this.#readState(set, hash);
    }
    const status = daemonStatus({ ...state, nowMs: clock.nowMs() });
    if (!isDeepStrictEqual({ ...set.status, ...status }, { ...set.status })) {
      await port.patch(refOf('daemonsets', set), { status }, 'status');
    }
    if (minReadySeconds > 0 && status.numberReady !== status.numberAvailable) queue.addAfter(key, minReadySeconds * 1000);
  }

  async #readState(set: DaemonSet, hash: string): Promise<DaemonState> {
    const { port, clock } = this.#options;
    const candidates = await port.list<Pod>('pods', podsFor(set));
    const { selector } = set.spec;
    const pods = await claim(port, { owner: set, kind: DAEMON_SET, selector, resource: 'pods', objects: candidates });
    const podsByNode = new Map<string, Pod[]>();
    for (const pod of pods) {
      const name = targetNode(pod);
      if (name === undefined || (isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined)) continue;
      podsByNode.set(name, [...(podsByNode.get(name) ?? []), pod]);
    }
    return { set, nodes: await port.list<Node>('nodes'), podsByNode, hash, nowMs: clock.nowMs() };
  }

  /** Creates missing pods and deletes surplus ones. @returns whether there was anything to do */
  async #manage(state: DaemonState, queue: KeyQueue): Promise<boolean> {
    const { set, nodes, podsByNode } = state;
    const create: string[] = [];
    const remove: Pod[] = [];
    for (const node of nodes) {
      const name = node.metadata.name ?? '';
      const { run, stay } = shouldRun(set, node);
      const pods = podsByNode.get(name);
      if (run && pods === undefined) create.push(name);
      else if (pods === undefined) continue;
      else if (stay) {
        const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        for (const pod of alive.filter(isTerminal)) if (await this.#mayRemove(set, pod, name, queue)) remove.push(pod);
        const surplus = excess(
          state,
          alive.filter((pod) => !isTerminal(pod)),
        );
        remove.push(...surplus.remove);
        if (surplus.missing && run) create.push(name);
      } else remove.push(...pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
    }
    // Pods of a deleted node: nothing else would delete them.
    const present = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
    for (const [name, pods] of podsByNode) {
      if (!present.has(name)) remove.push(...pods.filter(({ spec }) => (spec.nodeName ?? '') === ''));
    }
    return this.#apply(state, create, remove);
  }

  /** Whether a finished pod may be deleted: a failed one only after its backoff. */
  async #mayRemove(set: DaemonSet, pod: Pod, nodeName: string, queue: KeyQueue): Promise<boolean> {
    const named = `${pod.metadata.namespace}/${pod.metadata.name} on node ${nodeName}`;
    if (pod.status?.phase === 'Succeeded') {
      await this.#pods.recordEvent(set, 'Normal', 'SucceededDaemonPod', `Found succeeded daemon pod ${named}, will try to delete it`);
      return true;
    }
    const nowMs = this.#options.clock.nowMs();
    const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${nodeName}`;
    const before = this.#backoff.get(key);
    if (before !== undefined && nowMs - before.sinceMs < before.delayMs) {
      queue.addAfter(keyOf(set), before.delayMs);
      return false;
    }
    const { firstMs, longestMs } = FAILED_PODS_BACKOFF;
    const rested = before === undefined || nowMs - before.sinceMs > 2 * longestMs;
    this.#backoff.set(key, { sinceMs: nowMs, delayMs: rested ? firstMs : Math.min(before.delayMs * 2, longestMs) });
    await this.#pods.recordEvent(set, 'Warning', 'FailedDaemonPod', `Found failed daemon pod ${named}, will try to kill it`);
    return true;
  }

  /** @returns whether there was anything to do */
  async #apply({ set, hash }: DaemonState, create: readonly string[], remove: readonly Pod[]): Promise<boolean> {
    const { template } = set.spec;
    const labels = revisionLabels(set, hash);
    const names = create.slice(0, BURST);
    await slowStart(names.length, (index) => {
      return this.#pods.create(set, template, { labels, spec: daemonSpec(template.spec, names[index] ?? '') });
    });
    await Promise.all(remove.slice(0, BURST).map((pod) => this.#pods.delete(set, pod)));
    return create.length + remove.length > 0;
  }
}

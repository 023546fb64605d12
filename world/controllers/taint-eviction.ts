import { withCondition } from '../../model/conditions.ts';
import type { Node, Pod, Taint, Toleration } from '../../model/kube.ts';
import { tolerates } from '../../model/taints.ts';
import { formatTime } from '../../model/time.ts';
import { EventRecorder } from '../events.ts';
import { ClusterError } from '../ports.ts';
import type { ObjectRef } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { keyOf, refOf } from './ownership.ts';
import type { ControllerOptions } from './pod-control.ts';

const MAX_ATTEMPTS = 5;
const RETRY_MS = 10;

/** A scheduled deletion of a pod. */
interface Eviction {
  readonly cancel: AbortController;
  /** Kept until the pod is gone, so that the pod is deleted only once. */
  done: boolean;
}

/**
 * The taint eviction controller (`k8s.io/kubernetes/pkg/controller/tainteviction`): deletes pods of nodes with NoExecute
 * taints that they don't tolerate, or when their shortest toleration has expired; cancels that when the taints are removed.
 * A toleration's time starts when the controller first sees pod and taints, and a later taint does not shorten it.
 */
export class TaintEviction implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #events: EventRecorder;
  /** NoExecute taints, by node. */
  readonly #taints = new Map<string, readonly Taint[]>();
  /** By the pod's key. */
  readonly #evictions = new Map<string, Eviction>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'taint-eviction-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#taints.delete(object.metadata.name ?? '');
      else this.#followNode(object, tasks);
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#cancel(object, tasks);
      else this.#followPod(object, tasks);
    });
    await tasks.done();
  }

  #followNode(node: Node, tasks: Tasks): void {
    const { name = '' } = node.metadata;
    const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    const before = this.#taints.get(name) ?? [];
    if (
      taints.length === before.length &&
      taints.every(({ key, value }, index) => before[index]?.key === key && before[index].value === value)
    )
      return;
    if (taints.length === 0) this.#taints.delete(name);
    else this.#taints.set(name, taints);
    tasks.start(async () => {
      for (const pod of await this.#options.port.list<Pod>('pods', { onNode: name })) {
        if (taints.length === 0) this.#cancel(pod, tasks);
        else this.#followPod(pod, tasks);
      }
    });
  }

  /** `processPodOnNode`. */
  #followPod(pod: Pod, tasks: Tasks): void {
    const taints = this.#taints.get(pod.spec.nodeName ?? '');
    if (taints === undefined) return;
    const known = this.#evictions.get(keyOf(pod));
    if (known?.done === true) return;
    const seconds = toleratedSeconds(taints, pod.spec.tolerations ?? []);
    if (seconds === 0) {
      this.#cancel(pod, tasks);
      this.#schedule(pod, 0, tasks);
    } else if (seconds === Infinity) {
      this.#cancel(pod, tasks);
    } else if (known === undefined) {
      this.#schedule(pod, seconds * 1000, tasks);
    }
  }

  #schedule(pod: Pod, delayMs: number, tasks: Tasks): void {
    const eviction: Eviction = { cancel: new AbortController(), done: false };
    this.#evictions.set(keyOf(pod), eviction);
    tasks.start(async () => {
      try {
        await this.#options.clock.sleep(delayMs, AbortSignal.any([tasks.signal, eviction.cancel.signal]));
      } catch {
        return; // Cancelled.
      }
      eviction.done = true;
      await this.#evict(pod, tasks.signal);
    });
  }

  #cancel(pod: Pod, tasks: Tasks): void {
    const key = keyOf(pod);
    const eviction = this.#evictions.get(key);
    if (eviction === undefined) return;
    this.#evictions.delete(key);
    if (eviction.done) return;
    eviction.cancel.abort(new Error('the eviction was cancelled'));
    tasks.start(() => this.#recordEvent(pod, `Cancelling deletion of Pod ${key}`));
  }

  async #evict(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#recordEvent(pod, `Marking for deletion Pod ${keyOf(pod)}`);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        await this.#mark(refOf('pods', pod));
        return;
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        await this.#options.clock.sleep(RETRY_MS, signal);
      }
    }
    this.#evictions.delete(keyOf(pod));
  }

  async #mark(at: ObjectRef): Promise<void> {
    const { port, clock } = this.#options;
    const pod = await port.get<Pod>(at);
    if (pod === undefined) return;
    const conditions = withCondition(pod.status?.conditions, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: formatTime(clock.nowMs()),
    });
    await port.patch(at, { status: { conditions } }, 'status');
    await port.delete(at);
  }

  /** Like those of the real one, these Events have no uid. */
  #recordEvent({ metadata: { name, namespace } }: Pod, message: string): Promise<void> {
    const about = { apiVersion: 'v1', kind: 'Pod', name, namespace };
    return this.#events.record({ about, type: 'Normal', reason: 'TaintManagerEviction', message });
  }
}

/** Seconds for which all the taints are tolerated, by the first match of each; 0 if one is not tolerated. */
function toleratedSeconds(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  return Math.min(...used.map((toleration) => (toleration === undefined ? 0 : Math.max(0, toleration.tolerationSeconds ?? Infinity))));
}

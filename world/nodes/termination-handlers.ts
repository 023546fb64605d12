import { selects } from '../../model/catalogue.ts';
import type { Pod } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { EventListener } from '../aws/event-bus.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, Heal, Instance, InstancePort, MessageKind, ObjectRef, TerminationHandlerPort } from '../ports.ts';
import { Tasks, drawMs } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { waitOut } from './node-faults.ts';

/** Source: `evictPods` in `k8s.io/kubectl/pkg/drain`, which the handler uses to drain. */
const REFUSED_RETRY_MS = 5_000;
/** Source: `--node-termination-grace-period` of the AWS Node Termination Handler. */
const DRAIN_MS = 120_000;

interface TerminationHandlersOptions {
  /** Of the principal `node`: a handler's pods run on the nodes themselves. */
  readonly port: ClusterPort;
  readonly instances: InstancePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly onEvent: (listener: EventListener) => () => void;
}

/** An installed handler. */
interface Installed {
  readonly handler: Parameters<TerminationHandlerPort['install']>[0];
  readonly random: Random;
  /** Instances that it has started to handle: none twice. */
  readonly handled: Set<string>;
  readonly healing: AbortController;
}

/**
 * What the AWS Node Termination Handler does beside an autoscaler that handles the same events: it cordons the node and
 * drains it with the eviction API, with its default time-outs.
 */
export class TerminationHandlers implements WorldPart, TerminationHandlerPort {
  readonly #options: TerminationHandlersOptions;
  readonly #installed = new Set<Installed>();
  #count = 0;

  constructor(options: TerminationHandlersOptions) {
    this.#options = options;
  }

  install(handler: Installed['handler']): Heal {
    this.#count += 1;
    const random = this.#options.random.fork(`handler ${this.#count}`);
    const installed: Installed = { handler, random, handled: new Set(), healing: new AbortController() };
    this.#installed.add(installed);
    return () => {
      this.#installed.delete(installed);
      installed.healing.abort(new Error('healed'));
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#options.clock, signal);
    const stop = this.#options.onEvent((kind, id) => {
      const instance = this.#options.instances.get(id);
      if (instance === undefined) return;
      for (const installed of this.#installed) {
        const { handler, handled, random } = installed;
        if (handled.has(id) || !handler.kinds.includes(kind) || !isEnding(kind, instance) || !selects(handler.selector, instance)) continue;
        handled.add(id);
        const afterMs = drawMs(random, { minMs: 0, maxMs: handler.pollMs });
        tasks.start(() => this.#handle(installed, instance, afterMs, tasks));
      }
    });
    await tasks.done();
    stop();
  }

  async #handle({ handler, healing: { signal: healed } }: Installed, instance: Instance, afterMs: number, tasks: Tasks): Promise<void> {
    const { port, clock } = this.#options;
    const { privateDnsName: node } = instance;
    await waitOut(clock, afterMs, healed, tasks.signal);
    if (healed.aborted) return;
    try {
      await port.patch({ resource: 'nodes', name: node }, { spec: { unschedulable: true } });
    } catch (error) {
      // The Node does not exist yet, or no longer.
      if (error instanceof ClusterError) return;
      throw error;
    }
    handler.fired(instance.id);
    const untilMs = clock.nowMs() + DRAIN_MS;
    for (const pod of await podsToEvict(port, node)) tasks.start(() => this.#evict(pod, untilMs, healed, tasks.signal));
  }

  /** Retries while a budget refuses; a pod that can't be evicted for another reason is left alone. */
  async #evict({ metadata }: Pod, untilMs: number, healed: AbortSignal, signal: AbortSignal): Promise<void> {
    const { port, clock } = this.#options;
    const { namespace = 'default', name = '', uid } = metadata;
    const ref: ObjectRef = { resource: 'pods', namespace, name };
    while (!healed.aborted && clock.nowMs() < untilMs) {
      try {
        // The one with this name now runs somewhere else.
        if ((await port.get<Pod>(ref))?.metadata.uid !== uid) return;
        await port.evict(ref);
        return;
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        if (error.status !== 429) return;
      }
      await waitOut(clock, REFUSED_RETRY_MS, healed, signal);
    }
  }
}

/** Whether an event announces the end of its instance: all do except changes to the states pending and running. */
function isEnding(kind: MessageKind, { state }: Instance): boolean {
  return kind !== 'state-change' || (state !== 'pending' && state !== 'running');
}

/** Like `kubectl drain --ignore-daemonsets --force`: pods of DaemonSets would come back, and mirror pods can't be evicted. */
async function podsToEvict(port: ClusterPort, node: string): Promise<Pod[]> {
  const pods = await port.list<Pod>('pods', { onNode: node });
  return pods.filter(({ metadata: { deletionTimestamp, ownerReferences = [] } }) => {
    const isBound = ownerReferences.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
    return deletionTimestamp === undefined && !isBound;
  });
}

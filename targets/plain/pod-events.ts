import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { KubeEvent, Pod } from '../../model/kube.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { attempt } from './attempt.ts';

/** What happens to a pod, for an Event. */
export interface PodEvent {
  readonly pod: Pod;
  readonly reason: 'TriggeredScaleUp' | 'NotTriggerScaleUp';
  readonly message: string;
}

/** Tells users what happens to their pending pods, in Events, whenever that changes. */
export class PodEvents {
  readonly #kube: KubeClient;
  readonly #runtime: Runtime;
  #published = new Map<string, string>();

  constructor(runtime: Runtime, kube: KubeClient) {
    this.#runtime = runtime;
    this.#kube = kube;
  }

  /** @param pending all pending pods: what was reported about others is forgotten */
  async publish(events: readonly PodEvent[], pending: readonly Pod[]): Promise<void> {
    const waiting = new Set(pending.map(({ metadata }) => metadata.uid ?? ''));
    this.#published = new Map([...this.#published].filter(([uid]) => waiting.has(uid)));
    for (const event of events) {
      const { uid = '' } = event.pod.metadata;
      if (this.#published.get(uid) === event.message) continue;
      const isPublished = await attempt(this.#runtime.log, 'an Event could not be written', async () => {
        await this.#kube.create(RESOURCES.events, toEvent(event, this.#runtime.random.hex(16)));
        return true;
      });
      if (isPublished === true) this.#published.set(uid, event.message);
    }
  }
}

function toEvent({ pod: { metadata }, reason, message }: PodEvent, suffix: string): KubeEvent {
  const { name = '', namespace = 'default', uid = '' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${suffix}`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    reason,
    message,
    type: 'Normal',
    source: { component: 'plain' },
  };
}

import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { KubeEvent, Pod } from '../../model/kube.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { attempt } from './attempt.ts';

/** What happens to a pod, for an Event. */
export interface Word {
  readonly pod: Pod;
  readonly reason: 'TriggeredScaleUp' | 'NotTriggerScaleUp';
  readonly message: string;
}

/** Tells users what happens to their pending pods, in Events, whenever that changes. */
export class Words {
  readonly #kube: KubeClient;
  readonly #runtime: Runtime;
  #said = new Map<string, string>();

  constructor(runtime: Runtime, kube: KubeClient) {
    this.#runtime = runtime;
    this.#kube = kube;
  }

  /** @param pending all pending pods: what was reported about others is forgotten */
  async say(words: readonly Word[], pending: readonly Pod[]): Promise<void> {
    const waiting = new Set(pending.map(({ metadata }) => metadata.uid ?? ''));
    this.#said = new Map([...this.#said].filter(([uid]) => waiting.has(uid)));
    for (const word of words) {
      const { uid = '' } = word.pod.metadata;
      if (this.#said.get(uid) === word.message) continue;
      const isSaid = await attempt(this.#runtime.log, 'an Event could not be written', async () => {
        await this.#kube.create(RESOURCES.events, toEvent(word, this.#runtime.random.hex(16)));
        return true;
      });
      if (isSaid === true) this.#said.set(uid, word.message);
    }
  }
}

function toEvent({ pod: { metadata }, reason, message }: Word, suffix: string): KubeEvent {
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

import type { Pod } from '../../../../model/kube.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import type { Wire } from '../../../../wire/wire.ts';
import { SchedulerClient, podsOf } from '../client.ts';
import type { Outcome } from '../client.ts';
import { LABELS, NAMESPACES, TAINT } from './situations.ts';
import type { Situation } from './situations.ts';

const SELECTED = `labelSelector=${Object.entries(LABELS)
  .map(([key, value]) => `${key}%3D${value}`)
  .join(',')}`;
const CLASSES = [
  { name: 'priority-100', value: 100, preemptionPolicy: 'PreemptLowerPriority' },
  { name: 'priority-1000', value: 1000, preemptionPolicy: 'PreemptLowerPriority' },
  { name: 'priority-1000-never', value: 1000, preemptionPolicy: 'Never' },
];

/** A real scheduler. Runs one situation after another. */
export class RealScheduler {
  readonly #client: SchedulerClient;

  constructor(site: { readonly wire: Wire; readonly clock: Clock }) {
    this.#client = new SchedulerClient(site);
  }

  /** @throws Error if the cluster has nodes: they would be counted in every message */
  async prepare(): Promise<string> {
    const { items } = await this.#client.get<{ items: unknown[] }>('/api/v1/nodes');
    if (items.length > 0) throw new Error(`the cluster has ${items.length} nodes; a control plane without any is needed`);
    for (const name of NAMESPACES) {
      await this.#client.until(
        async () => (await this.#client.send('POST', '/api/v1/namespaces', { metadata: { name } })).status === 201,
        `namespace ${name}`,
      );
      // Pods need it at once; a controller would create it too.
      await this.#client.send('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    }
    for (const { name, ...rest } of CLASSES)
      await this.#client.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, ...rest });
    const { gitVersion } = await this.#client.get<{ gitVersion: string }>('/version');
    return gitVersion;
  }

  /** One outcome per pod; pods after a preemption are not tried. */
  async run(situation: Situation): Promise<Outcome[]> {
    const { nodes, running, pending } = situation;
    await Promise.all(
      nodes.map(async (node) => {
        await this.#client.must('POST', '/api/v1/nodes', node);
        // New nodes are tainted as not ready by admission.
        await this.#client.must('PATCH', `/api/v1/nodes/${node.metadata.name}`, { spec: { taints: node.spec?.taints ?? [TAINT] } });
      }),
    );
    for (const pod of running) await this.#client.must('POST', podsOf(pod), pod);
    await this.#client.settle();
    const outcomes: Outcome[] = [];
    for (const pod of pending) {
      await this.#client.must('POST', podsOf(pod), pod);
      const outcome = await this.#client.outcome(pod, { nodes: nodes.length, leaving: () => this.#leaving() });
      outcomes.push(outcome);
      if ('nominated' in outcome) break;
    }
    await this.clear();
    return outcomes;
  }

  async #leaving(): Promise<string[]> {
    const { items } = await this.#client.get<{ items: Pod[] }>(`/api/v1/pods?${SELECTED}`);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  }

  /** Removes the nodes and pods of all situations, and waits until they are gone. */
  async clear(): Promise<void> {
    for (const namespace of NAMESPACES)
      await this.#client.send('DELETE', `/api/v1/namespaces/${namespace}/pods?${SELECTED}`, { gracePeriodSeconds: 0 });
    await this.#client.send('DELETE', `/api/v1/nodes?${SELECTED}`);
    for (const plural of ['pods', 'nodes']) {
      await this.#client.until(
        async () => (await this.#client.get<{ items: unknown[] }>(`/api/v1/${plural}?${SELECTED}`)).items.length === 0,
        `deletion of all ${plural}`,
      );
    }
    await this.#client.settle();
  }

  /** Restores the cluster. */
  async leave(): Promise<void> {
    await this.clear();
    for (const { name } of CLASSES) await this.#client.send('DELETE', `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    for (const name of NAMESPACES) await this.#client.send('DELETE', `/api/v1/namespaces/${name}`);
  }
}

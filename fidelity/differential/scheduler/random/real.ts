import { defined } from '../../../../model/defined.ts';
import type { Pod } from '../../../../model/kube.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { readText } from '../../../../wire/wire.ts';
import type { Wire } from '../../../../wire/wire.ts';
import type { Outcome } from './outcome.ts';
import { LABELS, NAMESPACES, TAINT } from './situations.ts';
import type { Situation } from './situations.ts';

/** How far the scheduler's watches may lag behind the API server, on a busy machine. */
const LAG_MS = 120;
const LOOK_MS = 20;
/** Most polls for one condition. */
const PATIENCE = 1_500;
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
  readonly #wire: Wire;
  readonly #clock: Clock;

  constructor({ wire, clock }: { readonly wire: Wire; readonly clock: Clock }) {
    this.#wire = wire;
    this.#clock = clock;
  }

  /** @throws Error if the cluster has nodes: they would be counted in every message */
  async prepare(): Promise<string> {
    const { items } = await this.#json<{ items: unknown[] }>('GET', '/api/v1/nodes');
    if (items.length > 0) throw new Error(`the cluster has ${items.length} nodes; a control plane without any is needed`);
    for (const name of NAMESPACES) {
      await this.#until(async () => (await this.#send('POST', '/api/v1/namespaces', { metadata: { name } })) === 201, `namespace ${name}`);
      await this.#until(
        async () => (await this.#send('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)) === 200,
        `service account of ${name}`,
      );
    }
    for (const { name, ...rest } of CLASSES)
      await this.#send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, ...rest });
    const { gitVersion } = await this.#json<{ gitVersion: string }>('GET', '/version');
    return gitVersion;
  }

  /** One outcome per pod; pods after a preemption are not tried. */
  async run(situation: Situation): Promise<Outcome[]> {
    const { nodes, running, pending } = situation;
    await Promise.all(
      nodes.map(async (node) => {
        await this.#must('POST', '/api/v1/nodes', node);
        // New nodes are tainted as not ready by admission.
        await this.#must('PATCH', `/api/v1/nodes/${node.metadata.name}`, { spec: { taints: node.spec?.taints ?? [TAINT] } });
      }),
    );
    for (const pod of running) await this.#must('POST', podsOf(pod), pod);
    await this.#clock.sleep(LAG_MS);
    const outcomes: Outcome[] = [];
    for (const pod of pending) {
      await this.#must('POST', podsOf(pod), pod);
      const outcome = await this.#outcome(pod, nodes.length);
      outcomes.push(outcome);
      if ('nominated' in outcome) break;
    }
    await this.clear();
    return outcomes;
  }

  async #outcome(pod: Pod, nodes: number): Promise<Outcome> {
    let outcome: Outcome | undefined;
    await this.#until(async () => {
      const { spec, status } = await this.#json<Pod>('GET', `${podsOf(pod)}/${pod.metadata.name}`);
      const { message = '', status: scheduled } = status?.conditions?.find(({ type }) => type === 'PodScheduled') ?? {};
      if (spec.nodeName !== undefined) outcome = { node: spec.nodeName };
      // A message with fewer nodes was written before the scheduler's watch had seen all.
      else if (scheduled === 'False' && message.startsWith(`0/${nodes} `)) {
        const nominated = status?.nominatedNodeName;
        outcome = nominated === undefined ? { message } : { message, nominated };
      }
      return outcome !== undefined;
    }, `decision about ${pod.metadata.name}`);
    if (outcome === undefined) throw new Error(`${pod.metadata.name}: no decision`);
    if (!('nominated' in outcome)) return outcome;
    let victims: string[] = [];
    await this.#until(async () => (victims = await this.#leaving()).length > 0, 'victims');
    await this.#clock.sleep(LAG_MS);
    victims = await this.#leaving();
    return { ...outcome, victims };
  }

  async #leaving(): Promise<string[]> {
    const { items } = await this.#json<{ items: Pod[] }>('GET', `/api/v1/pods?${SELECTED}`);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  }

  /** Removes the nodes and pods of all situations, and waits until they are gone. */
  async clear(): Promise<void> {
    for (const namespace of NAMESPACES)
      await this.#send('DELETE', `/api/v1/namespaces/${namespace}/pods?${SELECTED}`, { gracePeriodSeconds: 0 });
    await this.#send('DELETE', `/api/v1/nodes?${SELECTED}`);
    for (const plural of ['pods', 'nodes']) {
      await this.#until(
        async () => (await this.#json<{ items: unknown[] }>('GET', `/api/v1/${plural}?${SELECTED}`)).items.length === 0,
        `deletion of all ${plural}`,
      );
    }
    await this.#clock.sleep(LAG_MS);
  }

  /** Restores the cluster. */
  async leave(): Promise<void> {
    await this.clear();
    for (const { name } of CLASSES) await this.#send('DELETE', `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    for (const name of NAMESPACES) await this.#send('DELETE', `/api/v1/namespaces/${name}`);
  }

  async #until(isDone: () => Promise<boolean>, what: string): Promise<void> {
    for (let looks = 1; looks <= PATIENCE; looks += 1) {
      if (await isDone()) return;
      await this.#clock.sleep(LOOK_MS);
    }
    throw new Error(`the cluster shows no ${what}`);
  }

  async #send(method: string, path: string, body?: object): Promise<number> {
    const { status, text } = await this.#answer(method, path, body);
    void text;
    return status;
  }

  async #must(method: string, path: string, body: object): Promise<void> {
    const { status, text } = await this.#answer(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }

  async #json<T>(method: string, path: string): Promise<T> {
    return JSON.parse((await this.#answer(method, path)).text) as T;
  }

  async #answer(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.#wire({
      method,
      path,
      headers: { accept: 'application/json', 'content-type': type },
      ...defined({ body: body && JSON.stringify(body) }),
    });
    return { status: answer.status, text: await readText(answer.body) };
  }
}

function podsOf({ metadata }: Pod): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods`;
}

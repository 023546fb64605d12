import { defined } from '../../../model/defined.ts';
import type { Pod } from '../../../model/kube.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { readText } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';

/** How far the scheduler's watches may lag behind the API server, on a busy machine. */
export const LAG_MS = 120;
const LOOK_MS = 20;
/** Most polls for one condition. */
const PATIENCE = 1_500;

/** What a scheduler did with one pending pod. */
export type Outcome =
  | { readonly node: string }
  /** With victims, the pod was nominated to a node. */
  | { readonly message: string; readonly nominated?: string; readonly victims?: readonly string[] };

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A client of a cluster with a real scheduler. */
export class SchedulerClient {
  readonly #wire: Wire;
  readonly #clock: Clock;

  constructor({ wire, clock }: { readonly wire: Wire; readonly clock: Clock }) {
    this.#wire = wire;
    this.#clock = clock;
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.#wire({
      method,
      path,
      headers: { accept: 'application/json', 'content-type': type },
      ...defined({ body: body && JSON.stringify(body) }),
    });
    return { status: answer.status, text: await readText(answer.body) };
  }

  /** @throws Error if it is refused */
  async must<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse((await this.send('GET', path)).text) as T;
  }

  /** Waits until the scheduler has seen all changes. */
  settle(): Promise<void> {
    return this.#clock.sleep(LAG_MS);
  }

  /** @throws Error if it does not happen */
  async until(isDone: () => Promise<boolean>, what: string): Promise<void> {
    for (let looks = 1; looks <= PATIENCE; looks += 1) {
      if (await isDone()) return;
      await this.#clock.sleep(LOOK_MS);
    }
    throw new Error(`the cluster shows no ${what}`);
  }

  /**
   * Waits for the decision about a pod.
   * @param site.nodes how many nodes there are @param site.leaving lists the pods that are being evicted
   * @param site.onLook called before each look at the pod
   */
  async outcome(
    pod: Pod,
    { nodes, leaving, onLook }: { nodes: number; leaving: () => Promise<string[]>; onLook?: () => Promise<void> },
  ): Promise<Outcome> {
    let outcome: Outcome | undefined;
    await this.until(async () => {
      await onLook?.();
      const { spec, status } = await this.get<Pod>(`${podsOf(pod)}/${pod.metadata.name}`);
      const { message = '', status: scheduled } = status?.conditions?.find(({ type }) => type === 'PodScheduled') ?? {};
      if (spec.nodeName !== undefined) outcome = { node: spec.nodeName };
      // A message with fewer nodes was written before the scheduler's watch had seen all.
      else if (scheduled === 'False' && message.startsWith(nodes === 0 ? 'no nodes' : `0/${nodes} `)) {
        const nominated = status?.nominatedNodeName;
        // It may have been nominated before.
        outcome = nominated === undefined || nominated === pod.status?.nominatedNodeName ? { message } : { message, nominated };
      }
      return outcome !== undefined;
    }, `decision about ${pod.metadata.name}`);
    if (outcome === undefined) throw new Error(`${pod.metadata.name}: no decision`);
    if (!('nominated' in outcome)) return outcome;
    await this.until(async () => (await leaving()).length > 0, 'victims');
    await this.settle();
    return { ...outcome, victims: await leaving() };
  }
}

export function podsOf({ metadata }: Pod): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods`;
}

import type { KubeObject } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';

/** From a change to its result. */
const REACTION = { minMs: 5, maxMs: 50 } as const;

const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * What the controller manager keeps in every namespace (`pkg/controller/serviceaccount`, `pkg/controller/certificates/rootcacertpublisher`):
 * the service account `default`, and `kube-root-ca.crt`, which is empty here, since the server has no certificate.
 */
export class NamespaceDefaults implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #random: Random;

  /** @param options.port of the principal `workloads` */
  constructor({ port, clock, random }: { readonly port: ClusterPort; readonly clock: Clock; readonly random: Random }) {
    this.#port = port;
    this.#clock = clock;
    this.#random = random;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    const queue = new WorkQueue({ tasks, random: this.#random, delay: REACTION, reconcile: (namespace) => this.#complete(namespace) });
    this.#port.watch<KubeObject>('namespaces', tasks.signal, ({ object }) => queue.add(object.metadata.name ?? ''));
    for (const resource of ['serviceaccounts', 'configmaps'])
      this.#port.watch<KubeObject>(resource, tasks.signal, ({ type, object }) => {
        if (type === 'DELETED') queue.add(object.metadata.namespace ?? '');
      });
    await tasks.done();
  }

  async #complete(namespace: string): Promise<void> {
    const found = await this.#port.get({ resource: 'namespaces', name: namespace });
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    await this.#keep('serviceaccounts', { metadata: { name: 'default', namespace } });
    const metadata = { name: 'kube-root-ca.crt', namespace, annotations: { 'kubernetes.io/description': DESCRIPTION } };
    await this.#keep('configmaps', { metadata, data: { 'ca.crt': '' } });
  }

  async #keep(resource: string, object: KubeObject & { readonly data?: object }): Promise<void> {
    const { name = '', namespace = '' } = object.metadata;
    if ((await this.#port.get({ resource, namespace, name })) === undefined) await this.#port.create(resource, object);
  }
}

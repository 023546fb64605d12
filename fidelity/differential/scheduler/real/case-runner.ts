import { defined } from '../../../../model/defined.ts';
import { BIND_COMPLETED, SELECTED_NODE } from '../../../../model/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../model/storage.ts';
import type { KubeObject, Node, Pod } from '../../../../model/kube.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import type { Wire } from '../../../../wire/wire.ts';
import { priorityClassesOf } from '../cases/case.ts';
import type { SchedulerCase } from '../cases/case.ts';
import { SchedulerClient, podsOf } from '../client.ts';
import type { Outcome } from '../client.ts';
import type { OpenCase } from '../ours.ts';
import type { Decisions } from '../recorded-cases.ts';

/** Runs of a case in which only one thing can happen. */
const RUNS = 3;
/** Runs of a case with a choice among equals: one of four is missed with a probability of 4e-6. */
const RUNS_OF_CHOICES = 48;
/** Keeps a pod from being scheduled before it has its status. */
const GATE = { name: 'scaleproof.invalid/status' };
const LONG_GRACE_SECONDS = 3_600;

/** Creates the objects of cases on a cluster without nodes, and reads what its scheduler decides. */
export class CaseRunner {
  readonly #client: SchedulerClient;
  /** What was created for the current case, in order. */
  #created: string[] = [];
  /** The uids that objects of the current case have, by those that they were written with. */
  #uids = new Map<string, string>();
  /** Pods that are terminating from the start. */
  #leaving = new Set<string>();
  /** Labels of namespaces that the current case has set. */
  #labelled = new Map<string, readonly string[]>();

  constructor(site: { readonly wire: Wire; readonly clock: Clock }) {
    this.#client = new SchedulerClient(site);
  }

  /** Creates the namespaces and priority classes of all cases. @returns the server's version */
  async prepare(cases: readonly OpenCase[]): Promise<string> {
    const objects = cases.flatMap(({ objects: all = [], pods = [], pod }) => [...all.map(({ object }) => object), ...pods, pod]);
    const ofCases = cases.flatMap(({ objects: all = [] }) =>
      all.flatMap(({ resource, object }) => (resource === 'namespaces' ? [object.metadata.name] : [])),
    );
    const namespaces = new Set([...objects.map(({ metadata }) => metadata.namespace), ...ofCases]);
    for (const name of namespaces) {
      if (name !== undefined) await this.#client.send('POST', '/api/v1/namespaces', { metadata: { name } });
    }
    for (const one of cases.flatMap(priorityClassesOf)) await this.#client.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', one);
    return (await this.#client.get<{ gitVersion: string }>('/version')).gitVersion;
  }

  /** Everything that the scheduler decides about the pod of a case. */
  async decisionsOf(situation: SchedulerCase): Promise<Decisions> {
    const [nodes, messages, victims] = [new Set<string>(), new Set<string>(), new Map<string, readonly string[]>()];
    const { expected } = situation;
    const choices = 'nodes' in expected ? expected.nodes : Object.keys('victims' in expected ? expected.victims : {});
    const runs = choices.length > 1 ? RUNS_OF_CHOICES : RUNS;
    for (let run = 0; run < runs; run += 1) {
      const outcome = await this.run(situation);
      if ('node' in outcome) nodes.add(outcome.node);
      else {
        messages.add(outcome.message);
        if (outcome.nominated !== undefined && outcome.victims !== undefined) victims.set(outcome.nominated, outcome.victims);
      }
    }
    return {
      id: situation.id,
      nodes: [...nodes].sort(),
      messages: [...messages].sort(),
      victims: Object.fromEntries([...victims].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** Creates everything, and removes it when the pod is placed or refused. */
  async run(situation: OpenCase): Promise<Outcome> {
    const { objects = [], pods = [], pod, nodes } = situation;
    try {
      for (const { resource, object } of objects) await this.#createObject(resource, object);
      for (const one of pods) await this.#createPod(one);
      for (const node of nodes) await this.#createNode(node);
      await this.#client.settle();
      await this.#createPod(pod, true);
      // Volumes are bound for a decision, not before it.
      if (pod.spec.volumes !== undefined) await this.#client.settle();
      return await this.#client.outcome(pod, {
        nodes: nodes.length,
        leaving: () => this.#evicted(),
        ...defined({ onLook: pod.spec.volumes && (() => this.#bindVolumes(situation)) }),
      });
    } finally {
      await this.#clear();
    }
  }

  async #create<T extends KubeObject>(collection: string, object: T): Promise<{ path: string; made: T }> {
    const text = [...this.#uids].reduce((known, [from, to]) => known.replaceAll(`"${from}"`, `"${to}"`), JSON.stringify(object));
    const made = await this.#client.must<T>('POST', collection, JSON.parse(text) as object);
    const path = `${collection}/${object.metadata.name}`;
    this.#created.push(path);
    if (object.metadata.uid !== undefined && made.metadata.uid !== undefined) this.#uids.set(object.metadata.uid, made.metadata.uid);
    return { path, made };
  }

  async #createObject(resource: string, object: KubeObject): Promise<void> {
    const { name, namespace, deletionTimestamp, ...metadata } = object.metadata;
    if (resource === 'namespaces') {
      const labels = metadata.labels ?? {};
      this.#labelled.set(`/api/v1/namespaces/${name}`, Object.keys(labels));
      await this.#client.must('PATCH', `/api/v1/namespaces/${name}`, { metadata: { labels } });
      return;
    }
    const { apiVersion = 'v1' } = object as { apiVersion?: string };
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const collection = namespace === undefined ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
    const { path } = await this.#create(collection, { ...object, metadata: { ...metadata, name, namespace } });
    const { status } = object as { status?: object };
    // The API server drops the status of a new object.
    if (status !== undefined) await this.#client.must('PATCH', `${path}/status`, { status });
    if (deletionTimestamp !== undefined) await this.#client.must('DELETE', path);
  }

  async #createNode(node: Node): Promise<void> {
    const { path } = await this.#create('/api/v1/nodes', node);
    // New nodes are tainted as not ready by admission.
    await this.#client.must('PATCH', path, { spec: { taints: node.spec?.taints ?? null } });
    await this.#client.must('PATCH', `${path}/status`, { status: node.status });
  }

  async #createPod(pod: Pod, isTested = false): Promise<void> {
    const { deletionTimestamp, deletionGracePeriodSeconds: _grace, ...metadata } = pod.metadata;
    const { status, spec } = pod;
    const waits = status?.nominatedNodeName !== undefined;
    const gated = waits ? { ...spec, schedulingGates: [GATE] } : spec;
    const { path } = await this.#create(podsOf(pod), { ...pod, metadata, spec: gated });
    if (status !== undefined) await this.#client.must('PATCH', `${path}/status`, { status });
    if (deletionTimestamp !== undefined) {
      this.#leaving.add(metadata.name ?? '');
      await this.#client.must('DELETE', path, { gracePeriodSeconds: LONG_GRACE_SECONDS });
    }
    // Other nominated pods stay gated: their room is kept.
    if (!waits || !isTested) return;
    await this.#client.settle();
    await this.#client.must('PATCH', path, { spec: { schedulingGates: null } });
  }

  async #evicted(): Promise<string[]> {
    const { items } = await this.#client.get<{ items: Pod[] }>('/api/v1/pods');
    return items
      .filter(({ metadata: { deletionTimestamp, name = '' } }) => deletionTimestamp !== undefined && !this.#leaving.has(name))
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  }

  /** Does what volume controllers do for the scheduler's choice: nothing binds volumes by itself. */
  async #bindVolumes({ objects = [] }: OpenCase): Promise<void> {
    const before = new Map(objects.map(({ resource, object }) => [`${resource}/${object.metadata.name}`, object]));
    const claims = (await this.#client.get<{ items: PersistentVolumeClaim[] }>('/api/v1/persistentvolumeclaims')).items;
    const volumes = (await this.#client.get<{ items: PersistentVolume[] }>('/api/v1/persistentvolumes')).items;
    for (const claim of claims) {
      const { name, namespace, annotations = {}, uid } = claim.metadata;
      if (claim.spec.volumeName !== undefined) continue;
      const chosen = volumes.find(
        ({ metadata, spec }) =>
          spec.claimRef?.name === name &&
          spec.claimRef?.namespace === namespace &&
          (before.get(`persistentvolumes/${metadata.name}`) as PersistentVolume | undefined)?.spec.claimRef === undefined,
      );
      let volumeName = chosen?.metadata.name;
      const selected = annotations[SELECTED_NODE];
      if (volumeName === undefined && selected !== undefined) {
        volumeName = `made-for-${name}`;
        await this.#create('/api/v1/persistentvolumes', {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: volumeName },
          spec: {
            accessModes: claim.spec.accessModes ?? [],
            capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
            csi: { driver: 'ebs.csi.aws.com', volumeHandle: volumeName },
            storageClassName: claim.spec.storageClassName ?? '',
            claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: name ?? '', namespace: namespace ?? '', uid: uid ?? '' },
          },
        } as KubeObject);
      }
      if (volumeName === undefined) continue;
      const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`;
      await this.#client.must('PATCH', path, { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } }, spec: { volumeName } });
      await this.#client.must('PATCH', `${path}/status`, { status: { phase: 'Bound' } });
    }
  }

  /** Removes everything of the case. */
  async #clear(): Promise<void> {
    for (const path of this.#created.toReversed()) {
      if (path.includes('/persistentvolume')) await this.#client.send('PATCH', path, { metadata: { finalizers: null } });
      await this.#client.send('DELETE', path, { gracePeriodSeconds: 0 });
      await this.#client.until(async () => (await this.#client.send('GET', path)).status === 404, `deletion of ${path}`);
    }
    for (const [path, keys] of this.#labelled)
      await this.#client.must('PATCH', path, { metadata: { labels: Object.fromEntries(keys.map((key) => [key, null])) } });
    this.#created = [];
    this.#uids.clear();
    this.#leaving.clear();
    this.#labelled.clear();
    await this.#client.settle();
  }
}

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../model/defined.ts';
import type { KubeObject, Pod, PodTemplate, StatefulSet } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { claimNameOf, ordinalsOf } from '../../model/stateful-set.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { KeyQueue } from './key-queue.ts';
import { STATEFUL_SET, claim, isControlledBy, keyOf, ownerKey, podsFor, refOf, refOfKey } from './ownership.ts';
import { PodControl } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isAvailable, isReady, isTerminal } from './pods.ts';
import { REVISION_HASH, templateHash } from './template-hash.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

/** A StatefulSet with its pods by ordinal, and its two revisions. */
interface State {
  readonly set: StatefulSet;
  readonly pods: ReadonlyMap<number, Pod>;
  /** Names of revisions: that of most pods, and that of the template. */
  readonly current: string;
  readonly update: string;
}

/**
 * The StatefulSet controller (`k8s.io/kubernetes/pkg/controller/statefulset`): pods with ordinals, one after another or in
 * parallel, each replaced under its name only once it is gone; rolling updates from the highest ordinal down to the partition.
 * Each pod gets its own claims from `volumeClaimTemplates`, which stay when the pod or the set goes
 * (`persistentVolumeClaimRetentionPolicy` is not supported). Revisions are kept in memory instead of ControllerRevision objects, and `maxUnavailable`
 * (behind a feature gate) is not supported.
 */
export class StatefulSets implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #pods: PodControl;
  /** The watched StatefulSets, by key: possible owners of orphans. */
  readonly #known = new Map<string, StatefulSet>();
  /** Templates by uid of the set and name of the revision. */
  readonly #templates = new Map<string, PodTemplate>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#pods = new PodControl({ ...options, kind: STATEFUL_SET, component: 'statefulset-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<StatefulSet>('statefulsets', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#known.delete(keyOf(object));
      else this.#known.set(keyOf(object), object);
      queue.add(keyOf(object));
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      if (this.#known.size === 0) return;
      const key = ownerKey(object, STATEFUL_SET);
      if (key !== undefined) queue.add(key);
      else if (type !== 'DELETED' && controllerOf(object) === undefined) {
        for (const [candidate, set] of this.#known) if (isCandidate(set, object)) queue.add(candidate);
      }
    });
    await tasks.done();
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port } = this.#options;
    const at = refOfKey(STATEFUL_SET, key);
    const set = await port.get<StatefulSet>(at);
    if (set === undefined) return;
    const objects = (await port.list<Pod>('pods', podsFor(set))).filter((pod) => {
      return isControlledBy(pod, set) || (controllerOf(pod) === undefined && isCandidate(set, pod));
    });
    const owned = await claim(port, { owner: set, kind: STATEFUL_SET, selector: set.spec.selector, resource: 'pods', objects });
    const pods = new Map<number, Pod>();
    for (const pod of owned) {
      const ordinal = ordinalOf(set, pod);
      if (ordinal !== undefined) pods.set(ordinal, pod);
    }
    const update = `${set.metadata.name}-${templateHash(set.spec.template)}`;
    this.#templates.set(`${set.metadata.uid}/${update}`, set.spec.template);
    const state: State = { set, pods, update, current: set.status?.currentRevision ?? update };
    if (set.metadata.deletionTimestamp === undefined) await this.#step(state);
    await this.#updateStatus(state);
    const { minReadySeconds = 0 } = set.spec;
    if (minReadySeconds > 0 && owned.some((pod) => isReady(pod) && !this.#available(set, pod))) queue.addAfter(key, minReadySeconds * 1000);
  }

  /** `updateStatefulSet`: first creates missing pods, then deletes surplus ones, then one that is out of date. */
  async #step(state: State): Promise<void> {
    const { set, pods } = state;
    const monotonic = set.spec.podManagementPolicy !== 'Parallel';
    const ordinals = ordinalsOf(set.spec);
    const [first = 0] = ordinals;
    const condemned = [...pods.keys()].filter((ordinal) => ordinal < first || ordinal >= first + ordinals.length).sort((a, b) => b - a);
    const isFit = (ordinal: number): boolean => {
      const pod = pods.get(ordinal);
      return pod !== undefined && this.#available(set, pod);
    };
    const firstUnfit = ordinals.find((ordinal) => !isFit(ordinal)) ?? condemned.toReversed().find((ordinal) => !isFit(ordinal));
    for (const ordinal of ordinals) if ((await this.#fill(state, ordinal)) && monotonic) return;
    let busy = ordinals.some((ordinal) => pods.get(ordinal) === undefined);
    for (const ordinal of condemned) {
      const pod = pods.get(ordinal);
      if (pod === undefined) continue;
      if (pod.metadata.deletionTimestamp !== undefined) {
        if (monotonic) return;
        continue;
      }
      if (monotonic && ordinal !== firstUnfit && !isFit(ordinal)) return;
      await this.#delete(set, pod);
      if (monotonic) return;
      busy = true;
    }
    if (!busy && set.spec.updateStrategy?.type !== 'OnDelete') await this.#renew(state, ordinals);
  }

  /** Reconciles one ordinal. @returns whether later ones must wait */
  async #fill({ set, pods, current, update }: State, ordinal: number): Promise<boolean> {
    const pod = pods.get(ordinal);
    if (pod === undefined) {
      const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
      const old = ordinal < (ordinalsOf(set.spec)[0] ?? 0) + partition ? this.#templates.get(`${set.metadata.uid}/${current}`) : undefined;
      await this.#create(set, ordinal, old ?? set.spec.template, old === undefined ? update : current);
      return true;
    }
    if (isTerminal(pod)) {
      if (pod.metadata.deletionTimestamp === undefined) await this.#delete(set, pod);
      return true;
    }
    return !this.#available(set, pod);
  }

  /** Deletes the highest pod of an older revision, if all above it are healthy. */
  async #renew({ set, pods, update }: State, ordinals: readonly number[]): Promise<void> {
    const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
    for (const ordinal of ordinals.slice(partition).reverse()) {
      const pod = pods.get(ordinal);
      if (pod === undefined) return;
      if (pod.metadata.labels?.[REVISION_HASH] !== update && pod.metadata.deletionTimestamp === undefined) {
        await this.#delete(set, pod);
        return;
      }
      if (!this.#available(set, pod)) return;
    }
  }

  #available(set: StatefulSet, pod: Pod): boolean {
    const { minReadySeconds = 0 } = set.spec;
    if (pod.status?.phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return false;
    return isAvailable(pod, minReadySeconds, this.#options.clock.nowMs());
  }

  async #create(set: StatefulSet, ordinal: number, template: PodTemplate, revision: string): Promise<void> {
    const name = `${set.metadata.name}-${ordinal}`;
    const labels = { [POD_NAME]: name, [POD_INDEX]: String(ordinal), [REVISION_HASH]: revision };
    const { serviceName } = set.spec;
    const claims = claimsOf(set, ordinal);
    for (const one of claims) await this.#createClaim(set, one.object, name);
    const own = claims.map(({ template: { metadata }, object }) => {
      return { name: metadata.name ?? '', persistentVolumeClaim: { claimName: object.metadata.name ?? '' } };
    });
    // A claim's volume replaces the template's volume of that name.
    const others = (template.spec.volumes ?? []).filter((volume) => !own.some((one) => one.name === volume.name));
    const volumes = own.length === 0 ? {} : { volumes: [...own, ...others] };
    const spec = { hostname: name, ...defined({ subdomain: serviceName }), ...volumes };
    const pod = this.#pods.podFor(set, template, { name, labels, spec });
    await this.#withEvent(set, 'create', name, async () => {
      await this.#options.port.create<Pod>('pods', pod);
    });
  }

  /** Creates a claim, unless an earlier pod of this ordinal has left it (`createPersistentVolumeClaims`). */
  async #createClaim(set: StatefulSet, object: KubeObject, podName: string): Promise<void> {
    const { port } = this.#options;
    const { name = '', namespace = '' } = object.metadata;
    if ((await port.get({ resource: 'persistentvolumeclaims', namespace, name })) !== undefined) return;
    const said = `create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name}`;
    try {
      await port.create('persistentvolumeclaims', object);
    } catch (error) {
      if (error instanceof ClusterError)
        await this.#pods.recordEvent(set, 'Warning', 'FailedCreate', `${said} failed error: ${error.message}`);
      throw error;
    }
    await this.#pods.recordEvent(set, 'Normal', 'SuccessfulCreate', `${said} success`);
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { name = '', uid = '' } = pod.metadata;
    await this.#withEvent(set, 'delete', name, () => this.#options.port.delete(refOf('pods', pod), { uid }));
  }

  /** Does something to a pod and records the result as an Event (`recordPodEvent`). */
  async #withEvent(set: StatefulSet, verb: 'create' | 'delete', podName: string, work: () => Promise<void>): Promise<void> {
    const reason = verb === 'create' ? 'Create' : 'Delete';
    const said = `${verb} Pod ${podName} in StatefulSet ${set.metadata.name}`;
    try {
      await work();
    } catch (error) {
      if (error instanceof ClusterError)
        await this.#pods.recordEvent(set, 'Warning', `Failed${reason}`, `${said} failed error: ${error.message}`);
      throw error;
    }
    await this.#pods.recordEvent(set, 'Normal', `Successful${reason}`, `${said} successful`);
  }

  /** Counted before this sync's own creations and deletions, which cause another sync. */
  async #updateStatus({ set, pods, current, update }: State): Promise<void> {
    const all = [...pods.values()];
    const alive = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ofRevision = (name: string): number => alive.filter(({ metadata }) => metadata.labels?.[REVISION_HASH] === name).length;
    const ready = all.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
    const wanted = ordinalsOf(set.spec).length;
    const rolling = (set.spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
    const complete = rolling && ofRevision(update) === wanted && ready === wanted && all.length === wanted;
    const status: NonNullable<StatefulSet['status']> = {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: all.length,
      readyReplicas: ready,
      availableReplicas: all.filter((pod) => this.#available(set, pod)).length,
      currentReplicas: ofRevision(complete ? update : current),
      updatedReplicas: ofRevision(update),
      currentRevision: complete ? update : current,
      updateRevision: update,
    };
    if (isDeepStrictEqual({ ...set.status, ...status }, { ...set.status })) return;
    await this.#options.port.patch(refOf('statefulsets', set), { status }, 'status');
  }
}

interface OwnClaim {
  readonly template: KubeObject;
  /** The claim to create. */
  readonly object: KubeObject;
}

/** The claims of an ordinal's pod (`getPersistentVolumeClaims`). */
function claimsOf({ metadata, spec }: StatefulSet, ordinal: number): OwnClaim[] {
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    template,
    object: {
      ...template,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...template.metadata,
        name: claimNameOf(template.metadata.name ?? '', metadata.name ?? '', ordinal),
        ...defined({ namespace: metadata.namespace }),
        labels: { ...template.metadata.labels, ...spec.selector.matchLabels },
      },
    },
  }));
}

/** The ordinal in a pod's name; undefined if the name is not one of this set's. */
function ordinalOf({ metadata: { name = '' } }: StatefulSet, pod: Pod): number | undefined {
  const podName = pod.metadata.name ?? '';
  const suffix = podName.startsWith(`${name}-`) ? podName.slice(name.length + 1) : '';
  return /^\d+$/.test(suffix) ? Number(suffix) : undefined;
}

/** Whether a pod could belong to a set. */
function isCandidate(set: StatefulSet, pod: Pod): boolean {
  if (set.metadata.namespace !== pod.metadata.namespace || ordinalOf(set, pod) === undefined) return false;
  return matchesSelector(set.spec.selector, pod.metadata.labels);
}

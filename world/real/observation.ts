import type { Recorder } from '../../history/events.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Observer } from '../kube/observer.ts';
import type { ObservedChange } from '../kube/observer.ts';
import type { ClusterPort, ObjectChange } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { principalOfManager } from './agent.ts';
import { resourceOfKind } from './resources.ts';

/** Resources that every cluster serves. */
const BUILT_IN = ['pods', 'nodes', 'events'] as const;
/** An autoscaler's own resources, served once their definitions exist. Plural names, by the names of their definitions. */
const DEFINED: Readonly<Record<string, string>> = { 'nodeclaims.karpenter.sh': 'nodeclaims', 'nodepools.karpenter.sh': 'nodepools' };
/** Namespaces of the cluster's own pods, which no scenario is about. */
const OWN_NAMESPACES: readonly string[] = ['kube-system', 'kube-node-lease', 'kube-public', 'local-path-storage'];
/** Field managers of the cluster's own parts, and of people's tools. */
const OF_CLUSTER = /^(kube-|kubelet|kubectl|cloud-controller-manager|k3s|eks)/;

/**
 * Watches what happens in a real cluster, over its own connection that no fault touches, and records it as the embedded
 * world does: the steps of pods, nodes and claims, and Events. A watch may skip changes that were undone at once. The principal
 * of a change is read from the field managers: requests on our wires have their principals' names.
 */
export class Observation implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #isOwn: (node: string) => boolean;
  /** Events from before the trial, by uid: their versions. */
  readonly #earlierEvents = new Map<string, string | undefined>();
  readonly #unknownPrincipal: Principal;

  /**
   * @param parts.isOwn whether a node existed before the trial
   * @param parts.unknownPrincipal the principal of writers that are neither ours nor the cluster's; by default its workloads
   */
  constructor(parts: {
    port: ClusterPort;
    clock: Clock;
    recorder: Recorder;
    isOwn: (node: string) => boolean;
    unknownPrincipal?: Principal;
  }) {
    this.#port = parts.port;
    this.#clock = parts.clock;
    this.#observer = new Observer(parts.recorder, { byKind: (_apiVersion, kind) => resourceOfKind(kind) });
    this.#isOwn = parts.isOwn;
    this.#unknownPrincipal = parts.unknownPrincipal ?? 'workloads';
  }

  /** Reads existing Events before anything is done: they don't belong to this trial, unless they are repeated. */
  async begin(): Promise<void> {
    for (const { metadata } of await this.#port.list<KubeObject>('events'))
      this.#earlierEvents.set(metadata.uid ?? '', metadata.resourceVersion);
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    for (const plural of BUILT_IN) this.#follow(plural, plural, tasks.signal);
    const followed = new Set<string>();
    this.#port.watch<Definition>('customresourcedefinitions', tasks.signal, ({ object }) => {
      const name = object.metadata.name ?? '';
      const plural = DEFINED[name];
      if (plural === undefined || followed.has(name) || !isEstablished(object)) return;
      followed.add(name);
      this.#follow(plural, name, tasks.signal);
    });
    await tasks.done();
  }

  #follow(plural: string, id: string, signal: AbortSignal): void {
    const before = new Map<string, Observed>();
    this.#port.watch<Observed>(plural, signal, ({ type, object }) => {
      const { uid = '' } = object.metadata;
      const previous = before.get(uid);
      if (type === 'DELETED') before.delete(uid);
      else before.set(uid, object);
      if (this.#isOthers(plural, object)) return;
      this.#observer.observe(changeOf(type, { id, plural }, object, previous, this.#unknownPrincipal));
    });
  }

  #isOthers(plural: string, object: Observed): boolean {
    const { name = '', namespace = '', uid = '', resourceVersion } = object.metadata;
    if (OWN_NAMESPACES.includes(namespace)) return true;
    return (
      (plural === 'nodes' && this.#isOwn(name)) ||
      (plural === 'events' && this.#earlierEvents.has(uid) && this.#earlierEvents.get(uid) === resourceVersion)
    );
  }
}

type Observed = KubeObject & { metadata: ObjectMeta & { managedFields?: readonly { manager?: string; time?: string }[] } };
type Definition = KubeObject & { status?: { conditions?: readonly { type: string; status: string }[] } };

function isEstablished({ status }: Definition): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true;
}

function changeOf(
  type: ObjectChange['type'],
  resource: ObservedChange['resource'],
  object: Observed,
  previous: Observed | undefined,
  unknownPrincipal: Principal,
): ObservedChange {
  return {
    type,
    resource,
    version: { object: object as unknown as ObservedChange['version']['object'] },
    previous: previous === undefined ? undefined : { object: previous as unknown as ObservedChange['version']['object'] },
    principal: principalOf(object, unknownPrincipal),
  };
}

/** The last writer of an object, according to its field managers: the cluster's own parts count as its workloads. */
function principalOf({ metadata }: Observed, unknownPrincipal: Principal): Principal {
  const last = (metadata.managedFields ?? []).reduce<{ manager?: string; time?: string } | undefined>(
    (latest, entry) => (latest === undefined || (entry.time ?? '') >= (latest.time ?? '') ? entry : latest),
    undefined,
  );
  const manager = last?.manager ?? '';
  return principalOfManager(manager) ?? (OF_CLUSTER.test(manager) ? 'workloads' : unknownPrincipal);
}

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

/** What every cluster serves. */
const BUILT_IN = ['pods', 'nodes', 'events'] as const;
/** Served once their definitions are: an autoscaler's own. Plural names, by the names of their definitions. */
const DEFINED: Readonly<Record<string, string>> = { 'nodeclaims.karpenter.sh': 'nodeclaims', 'nodepools.karpenter.sh': 'nodepools' };
/** Where the cluster's own pods live: nothing of them is a scenario's business. */
const OWN_NAMESPACES: readonly string[] = ['kube-system', 'kube-node-lease', 'kube-public', 'local-path-storage'];
/** Managers of fields that are the cluster's own parts, and people's tools. */
const OF_CLUSTER = /^(kube-|kubelet|kubectl|cloud-controller-manager|k3s|eks)/;

/**
 * Sees what happens in a real cluster, over a connection of its own that no fault touches, and records it as the embedded
 * world does: the steps of pods, nodes and claims, and what is said. A watch may leave out changes that were undone at
 * once. Whose change it was is read from the managers of fields: requests on our wires bear their principals' names.
 */
export class Observation implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #isOwn: (node: string) => boolean;
  /** Events that were said before the trial, by uid: their versions. */
  readonly #said = new Map<string, string | undefined>();
  readonly #strangersAre: Principal;

  /**
   * @param parts.isOwn whether a node was there before the trial
   * @param parts.strangersAre who it is that is neither of us nor of the cluster; by default its workloads
   */
  constructor(parts: { port: ClusterPort; clock: Clock; recorder: Recorder; isOwn: (node: string) => boolean; strangersAre?: Principal }) {
    this.#port = parts.port;
    this.#clock = parts.clock;
    this.#observer = new Observer(parts.recorder, { byKind: (_apiVersion, kind) => resourceOfKind(kind) });
    this.#isOwn = parts.isOwn;
    this.#strangersAre = parts.strangersAre ?? 'workloads';
  }

  /** Looks once, before anything is done: what was said by then is none of this trial's, unless it is said again. */
  async begin(): Promise<void> {
    for (const { metadata } of await this.#port.list<KubeObject>('events')) this.#said.set(metadata.uid ?? '', metadata.resourceVersion);
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
      this.#observer.observe(changeOf(type, { id, plural }, object, previous, this.#strangersAre));
    });
  }

  #isOthers(plural: string, object: Observed): boolean {
    const { name = '', namespace = '', uid = '', resourceVersion } = object.metadata;
    if (OWN_NAMESPACES.includes(namespace)) return true;
    return (
      (plural === 'nodes' && this.#isOwn(name)) || (plural === 'events' && this.#said.has(uid) && this.#said.get(uid) === resourceVersion)
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
  strangersAre: Principal,
): ObservedChange {
  return {
    type,
    resource,
    version: { object: object as unknown as ObservedChange['version']['object'] },
    previous: previous === undefined ? undefined : { object: previous as unknown as ObservedChange['version']['object'] },
    principal: principalOf(object, strangersAre),
  };
}

/** Who wrote to an object last, as far as the managers of its fields tell: the cluster's own parts are its workloads. */
function principalOf({ metadata }: Observed, strangersAre: Principal): Principal {
  const last = (metadata.managedFields ?? []).reduce<{ manager?: string; time?: string } | undefined>(
    (latest, entry) => (latest === undefined || (entry.time ?? '') >= (latest.time ?? '') ? entry : latest),
    undefined,
  );
  const manager = last?.manager ?? '';
  return principalOfManager(manager) ?? (OF_CLUSTER.test(manager) ? 'workloads' : strangersAre);
}

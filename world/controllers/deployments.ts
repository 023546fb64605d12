import { isDeepStrictEqual } from 'node:util';
import { conditionOf } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import type { Condition, Deployment, LabelSelector, Pod, ReplicaSet } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { REVISION, newestAnnotations, nextRevision, revisionOf, revisionsOf } from './deployment-revisions.ts';
import {
  countedStatus,
  isComplete,
  nextProgressCheckMs,
  progressDeadlineOf,
  progressing,
  rolloutStatus,
  setCondition,
} from './deployment-status.ts';
import { KeyQueue } from './key-queue.ts';
import { DEPLOYMENT, claim, controllerRef, isControlledBy, keyOf, ownerKey, refOf, refOfKey } from './ownership.ts';
import { PodControl } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isTerminal } from './pods.ts';
import {
  availableOf,
  desiredReplicas,
  isRollingUpdate,
  isSaturated,
  maxUnavailableOf,
  newReplicas,
  proportionalSizes,
  replicasAnnotations,
  replicasOf,
  sumOf,
} from './rollout.ts';
import { POD_TEMPLATE_HASH, equalTemplates, templateHash } from './template-hash.ts';

const DEFAULT_HISTORY_LIMIT = 10;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_NAME_LENGTH = 253;

/**
 * The deployment controller (`k8s.io/kubernetes/pkg/controller/deployment`): a ReplicaSet for each pod template; rolling
 * updates within maxSurge and maxUnavailable, or Recreate; proportional scaling during a rollout; revisions and their history
 * limit; conditions Available and Progressing. Rollback by `deprecated.deployment.rollback.to` is not supported (kubectl
 * changes the template instead). It reads from the store, not from a cache.
 */
export class Deployments implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #events: PodControl;
  /** The watched Deployments, by key: possible owners of orphaned ReplicaSets. */
  readonly #known = new Map<string, Deployment>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#events = new PodControl({ ...options, kind: DEPLOYMENT, component: 'deployment-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<Deployment>('deployments', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#known.delete(keyOf(object));
      else this.#known.set(keyOf(object), object);
      queue.add(keyOf(object));
    });
    port.watch<ReplicaSet>('replicasets', tasks.signal, ({ object }) => {
      const key = ownerKey(object, DEPLOYMENT);
      if (key !== undefined) queue.add(key);
      else if (controllerOf(object) === undefined) {
        for (const [candidate, { metadata, spec }] of this.#known) {
          if (metadata.namespace === object.metadata.namespace && matchesSelector(spec.selector, object.metadata.labels))
            queue.add(candidate);
        }
      }
    });
    // A Recreate rollout continues when the last old pod is gone.
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      if (type !== 'DELETED' || this.#known.size === 0) return;
      for (const [key, { metadata, spec }] of this.#known) {
        if (spec.strategy?.type !== 'Recreate' || metadata.namespace !== object.metadata.namespace) continue;
        if (matchesSelector(spec.selector, object.metadata.labels)) queue.add(key);
      }
    });
    await tasks.done();
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port } = this.#options;
    const at = refOfKey(DEPLOYMENT, key);
    const deployment = await port.get<Deployment>(at);
    if (deployment === undefined) return;
    const { selector } = deployment.spec;
    if (isEmpty(selector)) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.';
      await this.#events.recordEvent(deployment, 'Warning', 'SelectingAll', message);
      await this.#writeStatus(deployment, { observedGeneration: deployment.metadata.generation ?? 0 });
      return;
    }
    const candidates = (await port.list<ReplicaSet>('replicasets', { namespace: at.namespace ?? '' })).filter((set) => {
      return isControlledBy(set, deployment) || controllerOf(set) === undefined;
    });
    const sets = await claim(port, { owner: deployment, kind: DEPLOYMENT, selector, resource: 'replicasets', objects: candidates });
    if (deployment.metadata.deletionTimestamp !== undefined) {
      await this.#writeCounts(new Rollout(deployment, sets));
      return;
    }
    const rollout = new Rollout(await this.#notePause(deployment), sets);
    const scaled = rollout.active.some((set) => (desiredReplicas(set) ?? replicasOf(deployment)) !== replicasOf(deployment));
    if (deployment.spec.paused === true || scaled) await this.#scaleAll(rollout);
    else if (isRollingUpdate(deployment)) await this.#roll(rollout, queue);
    else await this.#recreate(rollout, queue);
  }

  /** Reports in the conditions that the Deployment is or was paused, so that paused time does not count against its deadline. */
  async #notePause(deployment: Deployment): Promise<Deployment> {
    const known = conditionOf(deployment, 'Progressing');
    if (progressDeadlineOf(deployment) === undefined || known?.reason === 'ProgressDeadlineExceeded') return deployment;
    const paused = deployment.spec.paused === true;
    if (paused === (known?.reason === 'DeploymentPaused')) return deployment;
    return this.#writeCondition(
      deployment,
      paused
        ? progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
        : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'),
    );
  }

  async #roll(rollout: Rollout, queue: KeyQueue): Promise<void> {
    const current = await this.#ensureCurrent(rollout);
    const { deployment } = rollout;
    const wanted = replicasOf(deployment);
    const present = replicasOf(current);
    const next = present > wanted ? wanted : newReplicas(deployment, rollout.all, present);
    const grown = await this.#scale(rollout, current, next);
    const moved = grown || (await this.#shrinkOld(rollout, current));
    if (!moved && isComplete(deployment, deployment.status ?? {})) await this.#forgetOld(rollout);
    await this.#writeProgress(rollout, queue);
  }

  /** `reconcileOldReplicaSets`: first removes unavailable pods, then as many as availability allows. */
  async #shrinkOld(rollout: Rollout, current: ReplicaSet): Promise<boolean> {
    const { deployment } = rollout;
    const minAvailable = replicasOf(deployment) - maxUnavailableOf(deployment);
    if (sumOf(rollout.old, replicasOf) === 0) return false;
    const missing = replicasOf(current) - availableOf(current);
    const room = sumOf(rollout.all, replicasOf) - minAvailable - missing;
    if (room <= 0) return false;
    let cleaned = 0;
    for (const set of rollout.old) {
      const unhealthy = Math.min(room - cleaned, replicasOf(set) - availableOf(set));
      if (replicasOf(set) === 0 || unhealthy === 0) continue;
      await this.#scale(rollout, set, replicasOf(set) - unhealthy);
      cleaned += unhealthy;
      if (cleaned >= room) break;
    }
    const spare = sumOf(rollout.all, availableOf) - minAvailable;
    let shrunk = 0;
    for (const set of rollout.old) {
      const count = Math.min(replicasOf(set), spare - shrunk);
      if (count <= 0) continue;
      await this.#scale(rollout, set, replicasOf(set) - count);
      shrunk += count;
    }
    return cleaned + shrunk > 0;
  }

  async #recreate(rollout: Rollout, queue: KeyQueue): Promise<void> {
    const { deployment, old } = rollout;
    if (rollout.current !== undefined) await this.#syncCurrent(rollout, rollout.current);
    let shrunk = false;
    for (const set of old) shrunk = (await this.#scale(rollout, set, 0)) || shrunk;
    if (!shrunk && !(await this.#oldPodsRun(rollout))) {
      const current = rollout.current ?? (await this.#ensureCurrent(rollout));
      await this.#scale(rollout, current, replicasOf(deployment));
      if (isComplete(deployment, deployment.status ?? {})) await this.#forgetOld(rollout);
    }
    await this.#writeProgress(rollout, queue);
  }

  async #oldPodsRun({ deployment, old }: Rollout): Promise<boolean> {
    if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true;
    const { namespace = '' } = deployment.metadata;
    const pods = await this.#options.port.list<Pod>('pods', { namespace });
    return pods.some((pod) => !isTerminal(pod) && old.some((set) => isControlledBy(pod, set)));
  }

  /** When it was scaled or is paused: `sync` and `scale` of `sync.go`. */
  async #scaleAll(rollout: Rollout): Promise<void> {
    const { deployment } = rollout;
    if (rollout.current !== undefined) await this.#syncCurrent(rollout, rollout.current);
    const { current, old, active } = rollout;
    const only = active.length === 1 ? active[0] : active.length === 0 ? (current ?? old.at(-1)) : undefined;
    if (only !== undefined) await this.#scale(rollout, only, replicasOf(deployment));
    else if (current !== undefined && isSaturated(deployment, current)) {
      for (const set of active) if (set !== current) await this.#scale(rollout, set, 0);
    } else if (active.length > 0 && isRollingUpdate(deployment)) {
      for (const [set, size] of proportionalSizes(deployment, active)) await this.#scale(rollout, set, size, true);
    }
    if (deployment.spec.paused === true) await this.#forgetOld(rollout);
    await this.#writeCounts(rollout);
  }

  /** Updates the annotations of the newest ReplicaSet, and the revision of the Deployment. */
  async #syncCurrent(rollout: Rollout, current: ReplicaSet): Promise<ReplicaSet> {
    const { deployment } = rollout;
    const annotations = newestAnnotations(deployment, current.metadata.annotations, nextRevision(rollout.old));
    const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
    if (!isDeepStrictEqual(annotations, current.metadata.annotations) || (current.spec.minReadySeconds ?? 0) !== minReadySeconds) {
      const change = { metadata: { annotations }, spec: { minReadySeconds } };
      return rollout.replace(await this.#options.port.patch<ReplicaSet>(refOf('replicasets', current), change));
    }
    rollout.deployment = await this.#noteRevision(deployment, annotations[REVISION] ?? '');
    if (conditionOf(rollout.deployment, 'Progressing') === undefined && progressDeadlineOf(deployment) !== undefined) {
      const condition = progressing('True', 'FoundNewReplicaSet', `Found new replica set "${current.metadata.name}"`);
      rollout.deployment = await this.#writeCondition(rollout.deployment, condition);
    }
    return current;
  }

  async #ensureCurrent(rollout: Rollout): Promise<ReplicaSet> {
    if (rollout.current !== undefined) return this.#syncCurrent(rollout, rollout.current);
    const { deployment, old } = rollout;
    const revision = nextRevision(old);
    const fresh = newReplicaSet(deployment, newReplicas(deployment, old, 0), revision);
    const { name = '' } = fresh.metadata;
    let created: ReplicaSet;
    try {
      created = await this.#options.port.create<ReplicaSet>('replicasets', fresh);
    } catch (error) {
      if (error instanceof ClusterError) await this.#failedToCreate(deployment, name, error);
      throw error;
    }
    rollout.replace(created);
    if (replicasOf(created) > 0) {
      await this.#events.recordEvent(
        deployment,
        'Normal',
        'ScalingReplicaSet',
        `Scaled up replica set ${name} from 0 to ${replicasOf(created)}`,
      );
    }
    rollout.deployment = await this.#noteRevision(deployment, String(revision));
    if (progressDeadlineOf(deployment) !== undefined) {
      const condition = progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
      rollout.deployment = await this.#writeCondition(rollout.deployment, condition);
    }
    return created;
  }

  /** A taken name is a hash collision: the next attempt uses another name. */
  async #failedToCreate(deployment: Deployment, name: string, error: ClusterError): Promise<void> {
    if (error.reason === 'AlreadyExists') {
      const { namespace = '' } = deployment.metadata;
      const found = await this.#options.port.get<ReplicaSet>({ resource: 'replicasets', namespace, name });
      const own = found !== undefined && isControlledBy(found, deployment) && equalTemplates(found.spec.template, deployment.spec.template);
      if (!own) await this.#writeStatus(deployment, { collisionCount: (deployment.status?.collisionCount ?? 0) + 1 });
      return;
    }
    const message = `Failed to create new replica set "${name}": ${error.message}`;
    if (progressDeadlineOf(deployment) !== undefined) {
      await this.#writeCondition(deployment, progressing('False', 'ReplicaSetCreateError', message));
    }
    await this.#events.recordEvent(deployment, 'Warning', 'ReplicaSetCreateError', message);
  }

  /**
   * @param annotate even if the size stays the same
   * @returns whether the size changed
   */
  async #scale(rollout: Rollout, set: ReplicaSet, replicas: number, annotate = false): Promise<boolean> {
    const { deployment } = rollout;
    const before = replicasOf(set);
    const annotations = replicasAnnotations(deployment);
    const noted = Object.entries(annotations).every(([key, value]) => set.metadata.annotations?.[key] === value);
    if (before === replicas && (!annotate || noted)) return false;
    const change = { metadata: { annotations }, spec: { replicas } };
    rollout.replace(await this.#options.port.patch<ReplicaSet>(refOf('replicasets', set), change));
    if (before === replicas) return false;
    const direction = before < replicas ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`;
    await this.#events.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', message);
    return true;
  }

  /** Deletes the oldest ReplicaSets beyond the history limit, if they are empty. */
  async #forgetOld({ deployment, old }: Rollout): Promise<void> {
    const limit = deployment.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT;
    const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (limit === MAX_INT32 || alive.length <= limit) return;
    const oldest = [...alive].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, alive.length - limit);
    for (const set of oldest) {
      const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
      if (replicas !== 0 || replicasOf(set) !== 0 || (set.metadata.generation ?? 0) > observedGeneration) continue;
      await deleteIfPresent(this.#options.port, set);
    }
  }

  async #noteRevision(deployment: Deployment, revision: string): Promise<Deployment> {
    if (deployment.metadata.annotations?.[REVISION] === revision) return deployment;
    const change = { metadata: { annotations: { [REVISION]: revision } } };
    return this.#options.port.patch<Deployment>(refOf('deployments', deployment), change, 'status');
  }

  async #writeProgress({ deployment, all, current }: Rollout, queue: KeyQueue): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const status = rolloutStatus(deployment, all, current, nowMs);
    const written = await this.#writeStatus(deployment, status);
    const waitMs = nextProgressCheckMs(written, status, nowMs);
    if (waitMs !== undefined) queue.addAfter(keyOf(deployment), waitMs);
  }

  async #writeCounts({ deployment, all, current }: Rollout): Promise<void> {
    await this.#writeStatus(deployment, countedStatus(deployment, all, current, this.#options.clock.nowMs()));
  }

  #writeCondition(deployment: Deployment, condition: Condition): Promise<Deployment> {
    const conditions = setCondition(deployment.status?.conditions ?? [], condition, this.#options.clock.nowMs());
    return this.#writeStatus(deployment, { conditions });
  }

  async #writeStatus(deployment: Deployment, status: NonNullable<Deployment['status']>): Promise<Deployment> {
    const next = { ...deployment.status, ...status };
    if (isDeepStrictEqual(next, deployment.status ?? {})) return deployment;
    return this.#options.port.patch<Deployment>(refOf('deployments', deployment), { status }, 'status');
  }
}

/** A Deployment with its ReplicaSets during one sync. */
class Rollout {
  deployment: Deployment;
  current: ReplicaSet | undefined;
  /** Oldest first. */
  old: readonly ReplicaSet[];

  constructor(deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.deployment = deployment;
    ({ current: this.current, old: this.old } = revisionsOf(deployment, sets));
  }

  get all(): readonly ReplicaSet[] {
    return this.current === undefined ? this.old : [...this.old, this.current];
  }

  /** Those with replicas. */
  get active(): readonly ReplicaSet[] {
    return this.all.filter((set) => replicasOf(set) > 0);
  }

  /** Stores a changed or new ReplicaSet. */
  replace(set: ReplicaSet): ReplicaSet {
    if (this.old.some(({ metadata }) => metadata.uid === set.metadata.uid)) {
      this.old = this.old.map((one) => (one.metadata.uid === set.metadata.uid ? set : one));
    } else this.current = set;
    return set;
  }
}

function newReplicaSet(deployment: Deployment, replicas: number, revision: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const { name = '', namespace = 'default' } = deployment.metadata;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  return {
    metadata: {
      name: `${name.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`,
      namespace,
      labels,
      annotations: { ...newestAnnotations(deployment, undefined, revision), ...replicasAnnotations(deployment) },
      ownerReferences: [controllerRef(DEPLOYMENT, deployment.metadata)],
    },
    spec: {
      replicas,
      ...defined({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [POD_TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

async function deleteIfPresent(port: ClusterPort, set: ReplicaSet): Promise<void> {
  try {
    await port.delete(refOf('replicasets', set));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}

import type { Deployment, KubeObject, OwnerReference, Pod, ReplicaSet, StatefulSet } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import type { ClusterPort } from '../ports.ts';

/** The scale of pods' owners is unknown. */
export class ScaleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScaleError';
  }
}

/** Kinds without a scale, with the names of their resources. */
const UNSCALABLE: Readonly<Record<string, string>> = { DaemonSet: 'daemonsets.apps', Job: 'jobs.batch', Node: 'nodes' };

/**
 * How many pods the owners of some pods want in total, each owner counted once (`getExpectedScale` of
 * `pkg/controller/disruption`).
 * @returns also the unmanaged pods
 * @throws ScaleError when a pod has an owner whose scale is unknown
 */
export async function expectedScale(
  port: ClusterPort,
  pods: readonly Pod[],
): Promise<{ readonly scale: number; readonly unmanaged: readonly Pod[] }> {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) unmanaged.push(pod);
    else if (!seen.has(owner.uid)) {
      seen.add(owner.uid);
      const found = await scaleOf(port, owner, pod.metadata.namespace ?? '');
      if (found === undefined) throw new ScaleError(`found no controllers for pod "${pod.metadata.name}"`);
      scales.set(found.uid, found.scale);
    }
  }
  return { scale: [...scales.values()].reduce((sum, scale) => sum + scale, 0), unmanaged };
}

async function scaleOf(
  port: ClusterPort,
  owner: OwnerReference,
  namespace: string,
): Promise<{ readonly uid: string; readonly scale: number } | undefined> {
  const get = async <T extends KubeObject>(resource: string, { name, uid }: OwnerReference): Promise<T | undefined> => {
    const object = await port.get<T>({ resource, namespace, name });
    return object?.metadata.uid === uid ? object : undefined;
  };
  const unscalable = UNSCALABLE[owner.kind];
  if (unscalable !== undefined) throw new ScaleError(`${unscalable} does not implement the scale subresource`);
  if (owner.kind === 'StatefulSet') {
    const set = await get<StatefulSet>('statefulsets', owner);
    return set === undefined ? undefined : { uid: owner.uid, scale: set.spec.replicas ?? 1 };
  }
  if (owner.kind !== 'ReplicaSet') return undefined;
  const set = await get<ReplicaSet>('replicasets', owner);
  if (set === undefined) return undefined;
  const manager = controllerOf(set);
  if (manager?.kind !== 'Deployment') return { uid: owner.uid, scale: set.spec.replicas ?? 1 };
  const deployment = await get<Deployment>('deployments', manager);
  return deployment === undefined ? undefined : { uid: manager.uid, scale: deployment.spec.replicas ?? 1 };
}

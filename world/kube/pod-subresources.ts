import { withCondition } from '../../model/conditions.ts';
import type { Condition, Pod } from '../../model/kube.ts';
import { badRequest, conflict } from '../../protocols/kube/status.ts';
import { formatTime } from '../../model/time.ts';
import type { Deletion } from './deletion.ts';
import type { Location, Registry, Writer } from './registry.ts';
import type { ApiObject } from './resource.ts';

/**
 * Assigns a pod to a node, as the binding subresource does. Whether the node exists is not asked, as in the real one.
 * @throws StatusError 409 when the pod is assigned already or being deleted
 */
export function bindPod(registry: Registry, at: Location, nodeName: string, writer: Writer, nowMs: number): void {
  const pod = registry.get(at).object as ApiObject & Pod;
  const refuse = (why: string): never => {
    throw conflict({ group: '', resource: 'pods/binding' }, at.name, why);
  };
  if (pod.metadata.deletionTimestamp !== undefined) refuse(`pod ${at.name} is being deleted, cannot be assigned to a host`);
  const assigned = pod.spec.nodeName ?? '';
  if (assigned !== '') refuse(`pod ${at.name} is already assigned to node ${JSON.stringify(assigned)}`);
  const condition: Condition = { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(nowMs) };
  registry.replace(at, withPodCondition({ ...pod, spec: { ...pod.spec, nodeName } }, condition), writer);
}

/**
 * Evicts a pod: marks it as disrupted and deletes it with the grace period that it or the caller wants. Budgets are not
 * asked yet.
 * @throws StatusError
 */
export function evictPod(registry: Registry, at: Location, name: string, deletion: Deletion, writer: Writer, nowMs: number): void {
  if (name !== at.name) throw badRequest('name in URL does not match name in Eviction object');
  const current = registry.get(at);
  const pod = current.object as ApiObject & Pod;
  const revision = deletion.preconditions?.resourceVersion;
  const mayMark = revision === undefined || revision === String(current.revision);
  const uid = deletion.preconditions?.uid;
  const marked =
    mayMark && (uid === undefined || uid === pod.metadata.uid) && pod.metadata.deletionTimestamp === undefined && isActive(pod);
  if (marked) {
    const condition: Condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastTransitionTime: formatTime(nowMs),
    };
    registry.replace(at, withPodCondition(pod, condition), writer);
  }
  const preconditions = uid === undefined ? (marked || revision === undefined ? {} : { resourceVersion: revision }) : { uid };
  registry.delete(at, { ...deletion, preconditions }, writer);
}

function isActive(pod: Pod): boolean {
  return pod.status?.phase === 'Running' || pod.status?.phase === 'Unknown';
}

function withPodCondition(pod: ApiObject & Pod, condition: Condition): ApiObject {
  return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions, condition) } };
}

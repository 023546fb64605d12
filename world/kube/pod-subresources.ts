import { withCondition } from '../../model/conditions.ts';
import type { Condition, Pod } from '../../model/kube.ts';
import { conflict } from '../../protocols/kube/status.ts';
import { formatTime } from '../../model/time.ts';
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
  if ((pod.spec.schedulingGates ?? []).length > 0) refuse(`pod ${at.name} has non-empty .spec.schedulingGates`);
  const assigned = pod.spec.nodeName ?? '';
  if (assigned !== '') refuse(`pod ${at.name} is already assigned to node ${JSON.stringify(assigned)}`);
  const condition: Condition = { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(nowMs) };
  registry.replace(at, withPodCondition({ ...pod, spec: { ...pod.spec, nodeName } }, condition), writer);
}

function withPodCondition(pod: ApiObject & Pod, condition: Condition): ApiObject {
  return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions, condition) } };
}

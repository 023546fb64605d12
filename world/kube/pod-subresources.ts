import { defined } from '../../model/defined.ts';
import { withCondition } from '../../model/conditions.ts';
import type { Condition, Pod } from '../../model/kube.ts';
import { notSupported, required } from '../../protocols/kube/field-error.ts';
import { StatusError, conflict } from '../../protocols/kube/status.ts';
import { formatTime } from '../../model/time.ts';
import type { AdmissionRequest } from './admission.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location, ApiObject } from './resource.ts';

/**
 * The node that a Binding names, checked as in `ValidatePodBinding`.
 * @throws StatusError 500 if invalid, since the real server's error is not a Status
 */
export function readBinding({ target }: ApiObject): string {
  const { kind = '', name = '' } = (target ?? {}) as { readonly kind?: string; readonly name?: string };
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length > 0) throw new StatusError(500, '', texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
  return name;
}

/**
 * Assigns a pod to a node, as the binding subresource does. As in the real server, the node need not exist.
 * @throws StatusError 409 if the pod is already assigned or being deleted
 */
export function bindPod(registry: Registry, at: Location, nodeName: string, writer: Writer, nowMs: number): void {
  const details = (): ReturnType<AdmissionRequest['details']> => {
    const metadata = { name: at.name, ...defined({ namespace: at.namespace }) };
    const target = { kind: 'Node', name: nodeName };
    const kind = { group: '', version: 'v1', kind: 'Binding' };
    return { object: { kind: 'Binding', apiVersion: 'v1', metadata, target }, old: undefined, kind };
  };
  registry.admit({ operation: 'CREATE', at, subresource: 'binding', writer, details });
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

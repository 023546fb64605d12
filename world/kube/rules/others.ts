import type { KubeEvent } from '../../../model/kube.ts';
import { forbidden, invalid } from '../../../protocols/kube/field-error.ts';
import type { ResourceRules } from '../resource.ts';
import { eventShape, priorityClassShape } from '../validation/shapes.ts';

export const namespaceRules: ResourceRules = {
  defaults: (object) => {
    const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    return { ...object, metadata: { ...object.metadata, labels } };
  },
  initialStatus: () => ({ phase: 'Active' }),
  fields: { 'status.phase': (object) => (object.status as { phase?: string } | undefined)?.phase },
};

export const eventRules: ResourceRules = {
  shape: eventShape,
  validate: (object) => {
    const about = (object as unknown as Partial<KubeEvent>).involvedObject?.namespace ?? '';
    const namespace = object.metadata.namespace;
    const agrees = about === '' ? namespace === 'default' : namespace === about;
    return agrees ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')];
  },
  fields: {
    'involvedObject.kind': (object) => involved(object).kind,
    'involvedObject.namespace': (object) => involved(object).namespace,
    'involvedObject.name': (object) => involved(object).name,
    'involvedObject.uid': (object) => involved(object).uid,
    reason: (object) => (object as unknown as KubeEvent).reason,
    type: (object) => (object as unknown as KubeEvent).type,
  },
};

function involved(object: unknown): KubeEvent['involvedObject'] {
  return (object as Partial<KubeEvent>).involvedObject ?? {};
}

export const priorityClassRules: ResourceRules = {
  shape: priorityClassShape,
  defaults: (object) => ({ preemptionPolicy: 'PreemptLowerPriority', ...object, value: object.value ?? 0 }),
  validateUpdate: (object, old) => (object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
};

import { defined } from '../../../model/defined.ts';
import { SYSTEM_PRIORITY_CLASSES } from '../../../model/kube.ts';
import { forbidden, invalid, notSupported } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { refused } from '../../../protocols/kube/status.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { NAMESPACE_FINALIZER, finalizersOf } from './namespace-finalizers.ts';
import { validateFinalizerName } from '../validation/meta.ts';
import { validateNonNegative } from '../validation/numbers.ts';
import { leaseShape, namespaceShape, priorityClassShape } from '../validation/shapes.ts';

/** Namespaces, whose deletion has a phase of its own (`pkg/registry/core/namespace`). */
export const namespaceRules: ResourceRules = {
  shape: namespaceShape,
  defaults: withNameLabel,
  defaultStatus: withNameLabel,
  admit: (object, _admission, old) => {
    const before = old === undefined ? [] : finalizersOf(old);
    const finalizers = old === undefined ? [...new Set([...finalizersOf(object), NAMESPACE_FINALIZER])] : before;
    return { ...object, spec: { ...(object.spec as object), finalizers } };
  },
  initialStatus: () => ({ phase: 'Active' }),
  validate: (object) => finalizersOf(object).flatMap((one, index) => validateFinalizerName(one, `spec.finalizers[${index}]`)),
  parts: {
    finalize: {
      take: (sent, old) => ({ ...sent, ...defined({ status: old.status }) }),
      validate: () => ({ more: [] }),
    },
  },
  termination: {
    begin: (object) => ({ ...object, status: { ...(object.status as object), phase: 'Terminating' } }),
    isHeld: (object) => finalizersOf(object).length > 0,
  },
  fields: { 'status.phase': (object) => (object.status as { phase?: string } | undefined)?.phase },
};

function withNameLabel(object: ApiObject): ApiObject {
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** The highest priority for users. */
const MAX_PRIORITY = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';

/** PriorityClasses, as in `pkg/apis/scheduling/validation` and the Priority admission plugin. */
export const priorityClassRules: ResourceRules = {
  shape: priorityClassShape,
  raisesGeneration: () => false,
  defaults: (object) => ({ preemptionPolicy: 'PreemptLowerPriority', ...object, value: object.value ?? 0 }),
  admit: (object, admission) => {
    if (object.globalDefault !== true) return object;
    const other = admission.list('priorityclasses.scheduling.k8s.io').find((one) => one.globalDefault === true);
    const name = other?.metadata.name;
    if (name === undefined || name === object.metadata.name) return object;
    const why = `PriorityClass ${name} is already marked as default. Only one default can exist`;
    throw refused({ group: 'scheduling.k8s.io', resource: 'priorityclasses' }, object.metadata.name ?? '', why);
  },
  validate: (object) => {
    const { name = '' } = object.metadata;
    const { value, preemptionPolicy } = object as { value?: number; preemptionPolicy?: string };
    const errors: FieldError[] = [];
    if (name.startsWith(SYSTEM_PREFIX)) {
      const known = SYSTEM_PRIORITY_CLASSES[name];
      const why =
        known === undefined
          ? `${name} is not a known system priority class`
          : value === known
            ? object.globalDefault === true
              ? `globalDefault of ${name} must be false`
              : ''
            : `value of ${name} PriorityClass must be ${known}`;
      const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`;
      if (why !== '') errors.push(forbidden('metadata.name', detail));
    } else if ((value ?? 0) > MAX_PRIORITY) {
      errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${MAX_PRIORITY}`));
    }
    const policies = ['PreemptLowerPriority', 'Never'];
    if (preemptionPolicy !== undefined && !policies.includes(preemptionPolicy)) {
      errors.push(notSupported('preemptionPolicy', preemptionPolicy, policies));
    }
    return errors;
  },
  validateUpdate: (object, old) => [
    ...(object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...(object.preemptionPolicy === old.preemptionPolicy
      ? []
      : [invalid('preemptionPolicy', object.preemptionPolicy, 'field is immutable')]),
  ],
};

/** Leases, as in `pkg/apis/coordination/validation`. */
/** Defaults as `SetDefaults_HorizontalPodAutoscaler` sets them, except those of its behavior. */
export const horizontalAutoscalerRules: ResourceRules = {
  defaults: (object) => {
    const { metrics = [], ...spec } = (object.spec ?? {}) as { readonly metrics?: readonly object[] };
    return { ...object, spec: { minReplicas: 1, ...spec, metrics: metrics.length === 0 ? [DEFAULT_METRIC] : metrics } };
  },
  initialStatus: () => ({ currentMetrics: null, desiredReplicas: 0 }),
};

const DEFAULT_METRIC = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

export const leaseRules: ResourceRules = {
  shape: leaseShape,
  defaults: (object) => ({ ...object, spec: object.spec ?? {} }),
  validate: (object) => {
    const { leaseDurationSeconds, leaseTransitions } = (object.spec ?? {}) as { leaseDurationSeconds?: number; leaseTransitions?: number };
    const short = leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0;
    return [
      ...(short ? [invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0')] : []),
      ...validateNonNegative(leaseTransitions, 'spec.leaseTransitions'),
    ];
  },
};

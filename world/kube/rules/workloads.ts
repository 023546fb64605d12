import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { DaemonSet, Deployment, LabelSelector, ReplicaSet, StatefulSet } from '../../../model/kube.ts';
import { forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { checkDnsLabel } from '../../../protocols/kube/names.ts';
import { isZero, validateAtMost100Percent, validateCountOrPercent, validateNonNegative } from '../validation/numbers.ts';
import { defaultClaimSpec } from './storage.ts';
import type { ClaimSpec } from '../validation/claims.ts';
import { replicationControllerShape, workloadShape } from '../validation/shapes.ts';
import { defaultTemplate, validateEndless, validateSelector, validateSelects, validateTemplate } from './templates.ts';
import type { Template } from './templates.ts';

/**
 * The kinds of apps/v1 and core/v1 that keep pods running, with the defaults of `pkg/apis/apps/v1/defaults.go` and the
 * validation of `pkg/apis/apps/validation`.
 */

const REVISION_HISTORY = 10;
const PROGRESS_DEADLINE_SECONDS = 600;
const TEMPLATE = 'spec.template';

/** Each spec has a pod template besides the fields of its kind. */
type Spec<T extends { spec: unknown }> = Partial<Omit<T['spec'] & object, 'template'>> & { template?: Template };

function specOf<T extends { spec: unknown }>(object: ApiObject): Spec<T> {
  return object.spec ?? {};
}

export const replicaSetRules: ResourceRules = {
  shape: workloadShape,
  defaults: (object) => {
    const spec = specOf<ReplicaSet>(object);
    return { ...object, spec: { ...spec, replicas: spec.replicas ?? 1, template: defaultTemplate(spec.template, object) } };
  },
  initialStatus: () => ({ replicas: 0 }),
  validate: (object) => {
    const { replicas, minReadySeconds, selector, template } = specOf<ReplicaSet>(object);
    return [
      ...validateNonNegative(replicas, 'spec.replicas'),
      ...validateNonNegative(minReadySeconds, 'spec.minReadySeconds'),
      // The real message says deployment as well.
      ...validateSelector(selector, 'deployment', 'spec.selector'),
      ...validateSelects(selector, template, TEMPLATE),
      ...validateTemplate(template, TEMPLATE),
      ...validateEndless(template, 'ReplicaSet', TEMPLATE),
    ];
  },
  validateUpdate: keepSelector,
};

export const deploymentRules: ResourceRules = {
  shape: workloadShape,
  defaults: (object) => {
    const spec = specOf<Deployment>(object);
    const { type = 'RollingUpdate', rollingUpdate } = spec.strategy ?? {};
    const strategy =
      type === 'RollingUpdate'
        ? { ...spec.strategy, type, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...rollingUpdate } }
        : { ...spec.strategy, type };
    const { replicas = 1, revisionHistoryLimit = REVISION_HISTORY, progressDeadlineSeconds = PROGRESS_DEADLINE_SECONDS } = spec;
    const template = defaultTemplate(spec.template, object);
    return { ...object, spec: { ...spec, replicas, template, strategy, revisionHistoryLimit, progressDeadlineSeconds } };
  },
  /** Annotations are copied to replica sets. */
  raisesGeneration: (object, old) =>
    !isDeepStrictEqual(object.spec, old.spec) || !isDeepStrictEqual(object.metadata.annotations, old.metadata.annotations),
  initialStatus: () => ({}),
  validate: (object) => {
    const { replicas, selector, template, strategy, minReadySeconds = 0, ...rest } = specOf<Deployment>(object);
    const { revisionHistoryLimit, progressDeadlineSeconds = PROGRESS_DEADLINE_SECONDS } = rest;
    const late = progressDeadlineSeconds <= minReadySeconds;
    return [
      ...validateNonNegative(replicas, 'spec.replicas'),
      ...validateSelector(selector, 'deployment', 'spec.selector'),
      ...validateSelects(selector, template, TEMPLATE),
      ...validateTemplate(template, TEMPLATE),
      ...validateEndless(template, 'ReplicaSet', TEMPLATE),
      ...validateStrategy(strategy ?? {}, 'spec.strategy'),
      ...validateNonNegative(minReadySeconds, 'spec.minReadySeconds'),
      ...validateNonNegative(revisionHistoryLimit, 'spec.revisionHistoryLimit'),
      ...validateNonNegative(progressDeadlineSeconds, 'spec.progressDeadlineSeconds'),
      ...(late ? [invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds')] : []),
    ];
  },
  validateUpdate: keepSelector,
};

function validateStrategy(strategy: NonNullable<Deployment['spec']['strategy']>, field: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    return [forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') return [notSupported(field, strategy, ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const path = `${field}.rollingUpdate`;
  const stuck = isZero(maxUnavailable) && isZero(maxSurge);
  return [
    ...validateCountOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${path}.maxSurge`),
    ...(stuck ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...validateAtMost100Percent(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

export const daemonSetRules: ResourceRules = {
  shape: workloadShape,
  defaults: (object) => {
    const spec = specOf<DaemonSet>(object);
    const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {};
    const updateStrategy =
      type === 'RollingUpdate'
        ? { ...spec.updateStrategy, type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...rollingUpdate } }
        : { ...spec.updateStrategy, type };
    const template = defaultTemplate(spec.template, object);
    return { ...object, spec: { revisionHistoryLimit: REVISION_HISTORY, ...spec, template, updateStrategy } };
  },
  initialStatus: () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
  validate: (object, old) => {
    const { selector, template, minReadySeconds, updateStrategy } = specOf<DaemonSet>(object);
    const { revisionHistoryLimit } = object.spec as { revisionHistoryLimit?: number };
    return [
      ...(old === undefined ? [] : keepSelector(object, old)),
      ...(selector === undefined ? [] : validateSelector(selector, 'daemonset', 'spec.selector')),
      ...validateSelects(selector, template, TEMPLATE),
      ...validateTemplate(template, TEMPLATE),
      ...validateEndless(template, 'DaemonSet', TEMPLATE),
      ...validateNonNegative(minReadySeconds, 'spec.minReadySeconds'),
      ...validateUpdateStrategy(updateStrategy ?? {}, 'spec.updateStrategy'),
      ...validateNonNegative(revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ];
  },
};

function validateUpdateStrategy(strategy: NonNullable<DaemonSet['spec']['updateStrategy']>, field: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(field, strategy, ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const path = `${field}.rollingUpdate`;
  const errors = [
    ...validateCountOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${path}.maxSurge`),
    ...validateAtMost100Percent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateAtMost100Percent(maxSurge, `${path}.maxSurge`),
  ];
  const [down, up] = [!isZero(maxUnavailable), !isZero(maxSurge)];
  if (down && up) errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (!down && !up) errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** The fields of a StatefulSet that an update may change, listed in the message. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const statefulSetRules: ResourceRules = {
  shape: workloadShape,
  defaults: (object) => {
    const spec = specOf<StatefulSet>(object);
    const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {};
    const rolls = type === 'RollingUpdate' && (rollingUpdate !== undefined || spec.updateStrategy?.type === undefined);
    const { persistentVolumeClaimRetentionPolicy, volumeClaimTemplates } = (object.spec ?? {}) as {
      persistentVolumeClaimRetentionPolicy?: object;
      volumeClaimTemplates?: readonly ClaimTemplate[];
    };
    const filled = {
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: REVISION_HISTORY,
      ...spec,
      replicas: spec.replicas ?? 1,
      template: defaultTemplate(spec.template, object),
      ...defined({ volumeClaimTemplates: volumeClaimTemplates?.map(defaultClaimTemplate) }),
      updateStrategy: { ...spec.updateStrategy, type, ...(rolls ? { rollingUpdate: { partition: 0, ...rollingUpdate } } : {}) },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain', ...persistentVolumeClaimRetentionPolicy },
    };
    return { ...object, spec: filled };
  },
  initialStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  validate: (object, old) => {
    const { podManagementPolicy, updateStrategy, replicas, minReadySeconds, selector, template, ...rest } = specOf<StatefulSet>(object);
    const { ordinals, serviceName = '' } = rest;
    const policies = ['OrderedReady', 'Parallel'];
    const { type, rollingUpdate } = updateStrategy ?? {};
    const errors: FieldError[] = [];
    if (!policies.includes(podManagementPolicy ?? '')) {
      errors.push(invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
    }
    if (type === 'OnDelete' && rollingUpdate !== undefined) {
      errors.push(invalid('spec.updateStrategy.rollingUpdate', rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'"));
    } else if (type !== 'OnDelete' && type !== 'RollingUpdate') {
      errors.push(invalid('spec.updateStrategy', updateStrategy, "must be 'RollingUpdate' or 'OnDelete'"));
    }
    const named = serviceName === '' || old !== undefined ? [] : checkDnsLabel(serviceName);
    return [
      ...errors,
      ...validateNonNegative(rollingUpdate?.partition, 'spec.updateStrategy.rollingUpdate.partition'),
      ...validateNonNegative(replicas, 'spec.replicas'),
      ...validateNonNegative(minReadySeconds, 'spec.minReadySeconds'),
      ...validateNonNegative(ordinals?.start, 'spec.ordinals.start'),
      ...named.map((problem) => invalid('spec.serviceName', serviceName, problem)),
      ...validateSelector(selector, 'statefulset', 'spec.selector'),
      ...validateSelects(selector, template, TEMPLATE),
      ...validateTemplate(withClaims(object, template), TEMPLATE),
      ...validateEndless(template, 'StatefulSet', TEMPLATE),
    ];
  },
  validateUpdate: (object, old) => {
    const fixed = ({ spec }: ApiObject): object =>
      Object.fromEntries(Object.entries(spec ?? {}).filter(([field]) => !MUTABLE.includes(field)));
    if (isDeepStrictEqual(fixed(object), fixed(old))) return [];
    const list = `${MUTABLE.slice(0, -1)
      .map((field) => `'${field}'`)
      .join(', ')} and '${MUTABLE.at(-1) ?? ''}'`;
    return [forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
  },
};

interface ClaimTemplate {
  readonly metadata?: object;
  readonly spec?: ClaimSpec;
  readonly status?: object;
}

/** A template for claims is a whole claim, with its type and status. @throws StatusError 400 */
function defaultClaimTemplate(template: ClaimTemplate): ClaimTemplate {
  const owner = 'StatefulSet in version "v1" cannot be handled as a StatefulSet';
  const status = { phase: 'Pending', ...template.status };
  return { ...template, ...CLAIM_TYPE, spec: defaultClaimSpec(template.spec ?? {}, owner), status };
}

const CLAIM_TYPE = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };

/** The template with the volumes that the controller adds for the claims of the set. */
function withClaims(object: ApiObject, template: Template | undefined): Template | undefined {
  const { volumeClaimTemplates = [] } = object.spec as { volumeClaimTemplates?: { metadata?: { name?: string } }[] };
  if (template?.spec === undefined || volumeClaimTemplates.length === 0) return template;
  const claims = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? '');
  const others = (template.spec.volumes ?? []).filter(({ name }) => !claims.includes(name));
  const volumes = [...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...others];
  return { ...template, spec: { ...template.spec, volumes } };
}

/** A core/v1 ReplicationController, whose selector is a map of labels. */
export const replicationControllerRules: ResourceRules = {
  shape: replicationControllerShape,
  defaults: (object) => {
    const spec = (object.spec ?? {}) as { replicas?: number; selector?: Record<string, string>; template?: Template };
    const labels = spec.template?.metadata?.labels;
    const selector = Object.keys(spec.selector ?? {}).length === 0 ? labels : spec.selector;
    const own = Object.keys(object.metadata.labels ?? {}).length === 0 ? labels : object.metadata.labels;
    return {
      ...object,
      metadata: { ...object.metadata, ...defined({ labels: own }) },
      spec: {
        ...spec,
        replicas: spec.replicas ?? 1,
        ...defined({ selector }),
        template: defaultTemplate(spec.template, object),
      },
    };
  },
  initialStatus: () => ({ replicas: 0 }),
  validate: (object) => {
    const spec = object.spec as { replicas?: number; selector?: Record<string, string>; template?: Template };
    const { replicas, selector = {}, template } = spec;
    return [
      ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
      ...validateNonNegative(replicas, 'spec.replicas'),
      ...validateSelects({ matchLabels: selector }, template, TEMPLATE),
      ...validateTemplate(template, TEMPLATE),
      ...validateEndless(template, 'ReplicationController', TEMPLATE),
    ];
  },
};

function keepSelector(object: ApiObject, old: ApiObject): FieldError[] {
  const selectors = [object, old].map(({ spec }) => (spec as { selector?: LabelSelector } | undefined)?.selector);
  return isDeepStrictEqual(selectors[0], selectors[1]) ? [] : [invalid('spec.selector', selectors[0], 'field is immutable')];
}

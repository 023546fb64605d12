import type { Container, NodeSelectorRequirement, PodSpec, ResourceList, Toleration } from '../../../model/kube.ts';
import { parseQuantity } from '../../../model/quantity.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsLabel, checkLabelValue, checkQualifiedName } from './names.ts';
import { validateLabels } from './meta.ts';
import { validateTopologySpread } from './topology-spread.ts';

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const AT_LEAST_ZERO = 'must be greater than or equal to 0';

/**
 * Validates a pod's spec, or a template's, as `pkg/apis/core/validation` does for what an autoscaler meets: containers,
 * resources, node selection, tolerations and spread. Volumes, probes, ports and security contexts pass unseen.
 * @param field path of the spec: `spec` or `spec.template.spec`
 */
export function validatePodSpec(spec: PodSpec & { restartPolicy?: string }, field: string): FieldError[] {
  const errors = [
    ...validateContainers(spec.containers ?? [], `${field}.containers`, true),
    ...validateContainers(spec.initContainers ?? [], `${field}.initContainers`, false),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...validateNodeAffinity(spec, `${field}.affinity.nodeAffinity`),
    ...(spec.tolerations ?? []).flatMap((one, index) => validateToleration(one, `${field}.tolerations[${index}]`)),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
  ];
  if (spec.restartPolicy !== undefined && !RESTART_POLICIES.includes(spec.restartPolicy)) {
    errors.push(notSupported(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES));
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds, AT_LEAST_ZERO));
  }
  return errors;
}

function validateContainers(containers: readonly Container[], field: string, needed: boolean): FieldError[] {
  if (containers.length === 0) return needed ? [required(field)] : [];
  const seen = new Set<string>();
  return containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const errors = validateContainerName(container.name, `${path}.name`);
    if (seen.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    seen.add(container.name);
    if ((container.image ?? '') === '') errors.push(required(`${path}.image`));
    return [...errors, ...validateResources(container.resources ?? {}, `${path}.resources`)];
  });
}

function validateContainerName(name: string | undefined, field: string): FieldError[] {
  if (name === undefined || name === '') return [required(field)];
  return checkDnsLabel(name).map((problem) => invalid(field, name, problem));
}

function validateResources(resources: { requests?: ResourceList; limits?: ResourceList }, field: string): FieldError[] {
  const limits = resources.limits ?? {};
  const errors: FieldError[] = [];
  for (const [name, limit] of Object.entries(limits)) {
    errors.push(...validateAmount(name, limit, `${field}.limits`));
  }
  for (const [name, request] of Object.entries(resources.requests ?? {})) {
    errors.push(...validateAmount(name, request, `${field}.requests`));
    const limit = limits[name];
    if (limit === undefined || parseQuantity(request).nanos <= parseQuantity(limit).nanos) continue;
    errors.push(invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`));
  }
  return errors;
}

function validateAmount(name: string, amount: string, field: string): FieldError[] {
  const errors = checkQualifiedName(name).map((problem) => invalid(field, name, problem));
  if (parseQuantity(amount).nanos < 0n) errors.push(invalid(`${field}[${name}]`, amount, AT_LEAST_ZERO));
  return errors;
}

function validateNodeAffinity(spec: PodSpec, field: string): FieldError[] {
  const demand = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (demand === undefined) return [];
  const path = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const terms = demand.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return terms.flatMap((term, index) =>
    (term.matchExpressions ?? []).flatMap((one, at) => validateNodeRequirement(one, `${path}[${index}].matchExpressions[${at}]`)),
  );
}

function validateNodeRequirement(requirement: NodeSelectorRequirement, field: string): FieldError[] {
  const values = requirement.values ?? [];
  const errors: FieldError[] = [];
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${field}.operator`, requirement.operator, 'not a valid selector operator'));
  }
  return [...errors, ...checkQualifiedName(requirement.key ?? '').map((problem) => invalid(`${field}.key`, requirement.key, problem))];
}

function validateToleration(toleration: Toleration, field: string): FieldError[] {
  const { key = '', operator = 'Equal', value = '', effect } = toleration;
  const errors: FieldError[] = [];
  if (key !== '') errors.push(...checkQualifiedName(key).map((problem) => invalid(`${field}.key`, key, problem)));
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, toleration.operator ?? '', detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Equal') {
    errors.push(...checkLabelValue(value).map((problem) => invalid(`${field}.operator`, value, problem)));
  } else if (operator !== 'Exists') {
    errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  } else if (value !== '') {
    errors.push(invalid(`${field}.operator`, toleration, "value must be empty when `operator` is 'Exists'"));
  }
  if (effect !== undefined) errors.push(...validateTaintEffect(effect, `${field}.effect`));
  return errors;
}

export function validateTaintEffect(effect: string, field: string): FieldError[] {
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];
}

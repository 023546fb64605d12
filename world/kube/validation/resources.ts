import type { ResourceList } from '../../../model/kube.ts';
import { parseQuantity } from '../../../model/quantity.ts';
import { forbidden, invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkQualifiedName } from '../../../protocols/kube/names.ts';

/** Requests and limits of a container or a pod. */
export interface ResourceRequirements {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

const AT_LEAST_ZERO = 'must be greater than or equal to 0';
const NATIVE = ['cpu', 'memory', 'ephemeral-storage'];
const HUGE_PAGES = 'hugepages-';
const ONE = 1_000_000_000n;

/** Validates requests and limits as `validateResourceRequirements` of `pkg/apis/core/validation` does. */
export function validateResources({ limits = {}, requests = {} }: ResourceRequirements, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, limit] of Object.entries(limits)) {
    errors.push(...validateResourceName(name, `${field}.limits[${name}]`), ...validateAmount(name, limit, `${field}.limits[${name}]`));
  }
  for (const [name, request] of Object.entries(requests)) {
    const path = `${field}.requests[${name}]`;
    errors.push(...validateResourceName(name, path), ...validateAmount(name, request, path));
    const limit = limits[name];
    if (limit === undefined) {
      if (!mayOvercommit(name)) errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'));
      continue;
    }
    const [requested, limited] = [parseQuantity(request).nanos, parseQuantity(limit).nanos];
    if (requested !== limited && !mayOvercommit(name)) {
      errors.push(invalid(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`));
    } else if (requested > limited) {
      errors.push(invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`));
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some((name) => name.startsWith(HUGE_PAGES)) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return errors;
}

/** Validates an amount of a resource. Countable resources must be integers. */
export function validateAmount(name: string, amount: string, field: string): FieldError[] {
  const { nanos } = parseQuantity(amount);
  const errors = nanos < 0n ? [invalid(field, amount, AT_LEAST_ZERO)] : [];
  if ((name === 'pods' || isExtended(name)) && nanos % ONE !== 0n) errors.push(invalid(field, amount, 'must be an integer'));
  return errors;
}

/** The name of a resource of containers. */
export function validateResourceName(name: string, field: string): FieldError[] {
  const problems = checkQualifiedName(name);
  const errors = problems.map((problem) => invalid(field, name, problem));
  if (name.includes('/')) {
    if (!isNative(name) && !isExtended(name)) errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
    return errors;
  }
  if (problems.length === 0 && !isStandard(name)) {
    errors.push(invalid(field, name, 'must be a standard resource type or fully qualified'));
  }
  if (!NATIVE.includes(name) && !name.startsWith(HUGE_PAGES)) {
    errors.push(invalid(field, name, 'must be a standard resource for containers'));
  }
  return errors;
}

/** The name of any resource. */
export function validateAnyResourceName(name: string, field: string): FieldError[] {
  const problems = checkQualifiedName(name);
  const isUnknown = problems.length === 0 && !name.includes('/') && !isStandard(name);
  return [...problems, ...(isUnknown ? ['must be a standard resource type or fully qualified'] : [])].map((problem) =>
    invalid(field, name, problem),
  );
}

function isStandard(name: string): boolean {
  return [...NATIVE, 'pods', 'storage', 'services', 'secrets', 'configmaps'].includes(name) || name.startsWith(HUGE_PAGES);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Extended resources, such as `nvidia.com/gpu`. */
function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0;
}

export function mayOvercommit(name: string): boolean {
  return isNative(name) && !name.startsWith(HUGE_PAGES);
}

import type { ObjectMeta } from '../../../model/kube.ts';
import { forbidden, invalid, required, tooLong } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { Resource } from '../resource.ts';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
} from '../../../protocols/kube/names.ts';

const NAME_RULES: Readonly<Record<Resource['nameRule'], (text: string) => string[]>> = {
  subdomain: checkDnsSubdomain,
  label: checkDnsLabel,
  'dns-1035': checkDns1035Label,
  path: checkPathSegment,
};
const MAX_ANNOTATION_BYTES = 256 * 1024;
/** Groups that validate metadata without further rules. */
const WITHOUT_FINALIZER_DOMAINS = ['coordination.k8s.io', 'policy', 'apiextensions.k8s.io'];
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion', 'customresourcecleanup.apiextensions.k8s.io'];

/**
 * Validates the metadata of an object of a resource, as `k8s.io/apimachinery/pkg/api/validation` does.
 * @param namespace of the request
 */
export function validateMeta(resource: Pick<Resource, 'nameRule'>, metadata: ObjectMeta, namespace: string | undefined): FieldError[] {
  return [
    ...validateName(resource, metadata),
    ...(namespace === undefined ? [] : checkDnsLabel(namespace).map((problem) => invalid('metadata.namespace', namespace, problem))),
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations),
    ...validateOwners(metadata),
    ...validateFinalizers(metadata.finalizers),
  ];
}

function validateName(resource: Pick<Resource, 'nameRule'>, { name, generateName = '' }: ObjectMeta): FieldError[] {
  const check = NAME_RULES[resource.nameRule];
  // The generated suffix follows the dash.
  const base = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
  const errors = generateName === '' ? [] : check(base).map((problem) => invalid('metadata.generateName', generateName, problem));
  if (name === undefined || name === '') return [...errors, required('metadata.name', 'name or generateName is required')];
  return [...errors, ...check(name).map((problem) => invalid('metadata.name', name, problem))];
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(field, key, problem)),
    ...checkLabelValue(String(value)).map((problem) => invalid(field, value, problem)),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field = 'metadata.annotations',
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const bytes = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...entries.flatMap(([key]) => checkQualifiedName(key.toLowerCase()).map((problem) => invalid(field, key, problem))),
    ...(bytes > MAX_ANNOTATION_BYTES ? [tooLong(field, `may not be more than ${MAX_ANNOTATION_BYTES} bytes`)] : []),
  ];
}

function validateFinalizers(finalizers: readonly string[] = []): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((finalizer) => checkQualifiedName(finalizer).map((problem) => invalid(field, finalizer, problem)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/** Most built-in types also refuse finalizers that are neither standard nor have a domain (`pkg/apis/core/validation`). */
export function validateFinalizerDomains({ custom, group }: Resource, { finalizers = [] }: ObjectMeta): FieldError[] {
  if (custom || WITHOUT_FINALIZER_DOMAINS.includes(group)) return [];
  return finalizers.flatMap((finalizer, index) => validateDomain(finalizer, `metadata.finalizers[${index}]`));
}

function validateDomain(finalizer: string, field: string): FieldError[] {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return [];
  return [invalid(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** A finalizer in a namespace's spec (`validateFinalizerName` of `pkg/apis/core/validation`). */
export function validateFinalizerName(finalizer: string, field: string): FieldError[] {
  return [...checkQualifiedName(finalizer).map((problem) => invalid(field, finalizer, problem)), ...validateDomain(finalizer, field)];
}

function validateOwners(metadata: ObjectMeta): FieldError[] {
  const owners = metadata.ownerReferences ?? [];
  const field = 'metadata.ownerReferences';
  const errors = owners.flatMap((owner) => {
    return (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((part) => (owner[part] ?? '') === '')
      .map((part) => invalid(`${field}.${part}`, '', part === 'apiVersion' ? 'version must not be empty' : 'must not be empty'));
  });
  const controllers = owners.filter((owner) => owner.controller === true);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`;
    errors.push(invalid(field, owners, detail));
  }
  return errors;
}

/** The uid can't change. */
export function validateUid(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const { uid = '' } = metadata;
  return uid === '' || uid === old.uid ? [] : [invalid('metadata.uid', uid, 'field is immutable')];
}

/** Immutable metadata. Finalizers can't be added to an object that is being deleted. */
export function validateMetaUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => old.finalizers?.includes(finalizer) !== true).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbidden('metadata.finalizers', detail)];
}

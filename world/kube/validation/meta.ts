import type { ObjectMeta } from '../../../model/kube.ts';
import { forbidden, invalid, required, tooLong } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { Resource } from '../resource.ts';
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName } from './names.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Validates the metadata of an object of a resource. */
export function validateMeta(resource: Resource, metadata: ObjectMeta): FieldError[] {
  return [
    ...validateName(resource, metadata.name),
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations),
    ...validateFinalizers(metadata.finalizers),
    ...validateOwners(metadata),
  ];
}

function validateName(resource: Resource, name: string | undefined): FieldError[] {
  if (name === undefined || name === '') return [required('metadata.name', 'name or generateName is required')];
  const problems = resource.nameRule === 'label' ? checkDnsLabel(name) : checkDnsSubdomain(name);
  return problems.map((problem) => invalid('metadata.name', name, problem));
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(field, key, problem)),
    ...checkLabelValue(String(value)).map((problem) => invalid(field, value, problem)),
  ]);
}

function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined): FieldError[] {
  const field = 'metadata.annotations';
  const entries = Object.entries(annotations ?? {});
  const bytes = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...entries.flatMap(([key]) => checkQualifiedName(key.toLowerCase()).map((problem) => invalid(field, key, problem))),
    ...(bytes > MAX_ANNOTATION_BYTES ? [tooLong(field, `may not be more than ${MAX_ANNOTATION_BYTES} bytes`)] : []),
  ];
}

function validateFinalizers(finalizers: readonly string[] | undefined): FieldError[] {
  return (finalizers ?? []).flatMap((finalizer) =>
    checkQualifiedName(finalizer).map((problem) => invalid('metadata.finalizers', finalizer, problem)),
  );
}

function validateOwners(metadata: ObjectMeta): FieldError[] {
  const owners = metadata.ownerReferences ?? [];
  const errors = owners.flatMap((owner, index) => {
    const field = `metadata.ownerReferences[${index}]`;
    return (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((part) => (owner[part] ?? '') === '')
      .map((part) => invalid(`${field}.${part}`, '', part === 'apiVersion' ? 'version must not be empty' : 'must not be empty'));
  });
  const controllers = owners.filter((owner) => owner.controller === true);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`;
    errors.push(invalid('metadata.ownerReferences', owners, detail));
  }
  return errors;
}

/** An object that is being deleted may lose finalizers, never gain them. */
export function validateFinalizersUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => old.finalizers?.includes(finalizer) !== true).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbidden('metadata.finalizers', detail)];
}

import { formatQuantity, parseQuantity } from '../../../model/quantity.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkConfigKey, checkDnsSubdomain, checkQualifiedName } from '../../../protocols/kube/names.ts';

/* Environments of containers, and references to fields of the pod: `ValidateEnv` and others of `pkg/apis/core/validation`. */

interface KeyReference {
  readonly name?: string;
  readonly key?: string;
}

/** References to fields of the pod or its resources. */
export interface FieldReferences {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath?: string };
  readonly resourceFieldRef?: { readonly containerName?: string; readonly resource?: string; readonly divisor?: string | number };
}

export interface Variable {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: FieldReferences & { readonly configMapKeyRef?: KeyReference; readonly secretKeyRef?: KeyReference };
}

/** All variables of a ConfigMap or a Secret. */
export interface VariableSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string };
  readonly secretRef?: { readonly name?: string };
}

const VARIABLE_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const TOO_MANY = 'may not have more than one field specified at a time';
const SUBSCRIPTED = ['metadata.annotations', 'metadata.labels'];
const FIELDS = ['metadata.name', 'metadata.namespace', 'metadata.uid'];
/** Fields that a pod's labels and annotations can name, but neither environments nor volumes. */
const OTHER_FIELDS = ['spec.restartPolicy', 'spec.schedulerName', 'status.phase'];
const VARIABLE_FIELDS = [
  ...FIELDS,
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const VOLUME_FIELDS = [...SUBSCRIPTED, ...FIELDS];
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function validateVariables(variables: readonly Variable[], field: string): FieldError[] {
  return variables.flatMap(({ name = '', value = '', valueFrom }, index) => {
    const path = `${field}[${index}]`;
    const errors = name === '' ? [required(`${path}.name`)] : validateVariableName(name, `${path}.name`);
    return [...errors, ...(valueFrom === undefined ? [] : validateValueFrom(valueFrom, value, `${path}.valueFrom`))];
  });
}

function validateVariableName(name: string, field: string): FieldError[] {
  return /^[ -<>-~]+$/.test(name) ? [] : [invalid(field, name, VARIABLE_NAME)];
}

function validateValueFrom(from: NonNullable<Variable['valueFrom']>, value: string, field: string): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = from;
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter((one) => one !== undefined).length;
  const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
  const problem =
    sources === 0
      ? `must specify one of: ${names}`
      : value !== ''
        ? 'may not be specified when `value` is not empty'
        : sources > 1
          ? TOO_MANY
          : undefined;
  return [
    ...(fieldRef === undefined ? [] : validateFieldReference(fieldRef, VARIABLE_FIELDS, `${field}.fieldRef`)),
    ...(resourceFieldRef === undefined ? [] : validateResourceReference(resourceFieldRef, `${field}.resourceFieldRef`, false)),
    ...(configMapKeyRef === undefined ? [] : validateKeyReference(configMapKeyRef, `${field}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : validateKeyReference(secretKeyRef, `${field}.secretKeyRef`)),
    ...(problem === undefined ? [] : [invalid(field, '', problem)]),
  ];
}

function validateKeyReference({ name = '', key = '' }: KeyReference, field: string): FieldError[] {
  return [
    ...checkDnsSubdomain(name).map((problem) => invalid(`${field}.name`, name, problem)),
    ...(key === '' ? [required(`${field}.key`)] : checkConfigKey(key).map((problem) => invalid(`${field}.key`, key, problem))),
  ];
}

/** @param supported the fields that can be named, sorted */
export function validateFieldReference(
  { apiVersion = '', fieldPath = '' }: NonNullable<FieldReferences['fieldRef']>,
  supported: readonly string[],
  field: string,
): FieldError[] {
  if (apiVersion === '') return [required(`${field}.apiVersion`)];
  if (fieldPath === '') return [required(`${field}.fieldPath`)];
  const [, path = fieldPath, subscript] = /^(.*?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  const unconverted =
    apiVersion !== 'v1'
      ? `unsupported pod version: ${apiVersion}`
      : subscript !== undefined && !SUBSCRIPTED.includes(path)
        ? `field label does not support subscript: ${fieldPath}`
        : [...SUBSCRIPTED, ...VARIABLE_FIELDS, ...OTHER_FIELDS, 'spec.host'].includes(path)
          ? undefined
          : `field label not supported: ${fieldPath}`;
  if (unconverted !== undefined) return [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${unconverted}`)];
  if (subscript !== undefined) {
    const key = path === 'metadata.annotations' ? subscript.toLowerCase() : subscript;
    return checkQualifiedName(key).map((problem) => invalid(field, subscript, problem));
  }
  const known = path === 'spec.host' ? 'spec.nodeName' : path;
  return supported.includes(known) ? [] : [notSupported(`${field}.fieldPath`, known, supported)];
}

/** @param isVolume whether the container has to be named */
export function validateResourceReference(
  { containerName = '', resource = '', divisor = '0' }: NonNullable<FieldReferences['resourceFieldRef']>,
  field: string,
  isVolume: boolean,
): FieldError[] {
  if (isVolume && containerName === '') return [required(`${field}.containerName`)];
  if (resource === '') return [required(`${field}.resource`)];
  const isHugePages = /^(limits|requests)\.hugepages-/.test(resource);
  if (!RESOURCES.includes(resource) && !isHugePages) return [notSupported(`${field}.resource`, resource, RESOURCES)];
  const amount = parseQuantity(String(divisor));
  if (amount.nanos === 0n) return [];
  const [, kind = ''] = resource.split('.');
  const [allowed, shown] = kind === 'cpu' ? [['1m', '1'], '1m and 1'] : [SIZES, SIZES.join(', ')];
  if (allowed.includes(formatQuantity(amount))) return [];
  const what = isHugePages ? 'hugepages' : kind === 'ephemeral-storage' ? 'local ephemeral storage' : kind;
  return [invalid(`${field}.divisor`, resource, `only divisor's values ${shown} are supported with the ${what} resource`)];
}

export function validateVariableSources(sources: readonly VariableSource[], field: string): FieldError[] {
  return sources.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const path = `${field}[${index}]`;
    const count = [configMapRef, secretRef].filter((one) => one !== undefined).length;
    return [
      ...(prefix === '' ? [] : validateVariableName(prefix, `${path}.prefix`)),
      ...(configMapRef === undefined ? [] : validateName(configMapRef.name, `${path}.configMapRef.name`)),
      ...(secretRef === undefined ? [] : validateName(secretRef.name, `${path}.secretRef.name`)),
      ...(count === 0 ? [invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`')] : []),
      ...(count > 1 ? [invalid(field, '', TOO_MANY)] : []),
    ];
  });
}

function validateName(name = '', field: string): FieldError[] {
  return name === '' ? [required(field)] : checkDnsSubdomain(name).map((problem) => invalid(field, name, problem));
}

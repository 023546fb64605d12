import { isJsonObject, jsonType } from './json.ts';
import { SELF_DECODED, base64Error, selfDecodedError } from './self-decoded.ts';
import { elementOf } from './types.ts';
import type { KubeTypes } from './types.ts';

/** The ranges of Go's integer types. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};

/**
 * The first type error of an object of a built-in type, with the message of Go's decoder:
 * `json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container`. Named strings
 * (`v1.RestartPolicy`) are called `string`.
 * @param path of the object in the enclosing object, dot-separated
 * @returns undefined if there is no error
 */
export function unmarshalError(object: unknown, type: string, types: KubeTypes, path = ''): string | undefined {
  return walk(object, type, { struct: '', path, types, misfit, bytes: (problem) => problem });
}

/**
 * The same with the messages of the converter of unstructured objects (`runtime/converter.go` of `k8s.io/apimachinery`), which
 * decodes the results of strategic merge patches and server-side apply: `cannot convert int64 to string`.
 */
export function conversionError(object: unknown, type: string, types: KubeTypes): string | undefined {
  return walk(object, type, {
    struct: '',
    path: '',
    types,
    misfit: unconvertible,
    bytes: (problem) => `error decoding from json: ${problem}`,
  });
}

interface Place {
  /** The innermost type with fields. */
  readonly struct: string;
  /** The names of the fields that lead here, without list indexes and map keys. */
  readonly path: string;
  readonly types: KubeTypes;
  /** The message for a value of the wrong type. */
  misfit(value: unknown, type: string, place: Place): string;
  /** The message for invalid base64. */
  bytes(problem: string): string;
}

function walk(value: unknown, type: string, place: Place): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (SELF_DECODED.includes(type)) return selfDecodedError(value, type);
  const { misfit } = place;
  const element = elementOf(type);
  if (element?.of === 'list') {
    if (!Array.isArray(value)) return misfit(value, type, place);
    return firstOf(value, (item) => walk(item, element.type, place));
  }
  if (element !== undefined) {
    if (!isJsonObject(value)) return misfit(value, type, place);
    return firstOf(Object.values(value), (part) => walk(part, element.type, place));
  }
  const known = place.types.find(type);
  if (known === undefined) {
    if (!fits(value, type)) return misfit(value, type, place);
    const problem = type === 'bytes' ? base64Error(value as string) : undefined;
    return problem === undefined ? undefined : place.bytes(problem);
  }
  if (!isJsonObject(value)) return misfit(value, type, place);
  const struct = type.split('.').at(-1) ?? '';
  return firstOf(Object.entries(value), ([key, part]) => {
    const field = Object.hasOwn(known.fields, key) ? known.fields[key] : undefined;
    if (field === undefined) return undefined;
    return walk(part, field.type, { ...place, struct, path: place.path === '' ? key : `${place.path}.${key}` });
  });
}

function firstOf<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fits(value: unknown, type: string): boolean {
  const range = RANGES[type];
  if (range !== undefined) return typeof value === 'number' && Number.isInteger(value) && value >= range[0] && value <= range[1];
  switch (type) {
    case 'string':
    case 'bytes':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'double':
      return typeof value === 'number';
    default:
      return true;
  }
}

function misfit(value: unknown, type: string, { struct, path }: Place): string {
  const isUnfit = typeof value === 'number' && RANGES[type] !== undefined;
  return `json: cannot unmarshal ${isUnfit ? `number ${value}` : jsonType(value)} into Go struct field ${struct}.${path} of type ${goType(type)}`;
}

function unconvertible(value: unknown, type: string, { types }: Place): string {
  const source = Array.isArray(value) ? '[]interface {}' : isJsonObject(value) ? 'map[string]interface {}' : scalarType(value);
  const kind = Array.isArray(value) ? 'slice' : isJsonObject(value) ? 'map' : source;
  const element = elementOf(type);
  if (element?.of === 'list' || type === 'bytes') return `cannot restore slice from ${kind}`;
  if (element?.of === 'map') return `cannot restore map from ${kind}`;
  if (types.find(type) !== undefined) return `cannot restore struct from: ${kind}`;
  return `cannot convert ${source} to ${type === 'double' ? 'float64' : type}`;
}

function scalarType(value: unknown): string {
  if (typeof value !== 'number') return typeof value === 'boolean' ? 'bool' : typeof value;
  return Number.isInteger(value) ? 'int64' : 'float64';
}

/** A type's name in Go: its package is named after the API version. */
function goType(type: string): string {
  if (type === '{}Quantity') return 'v1.ResourceList';
  const element = elementOf(type);
  if (element?.of === 'list') return `[]${goType(element.type)}`;
  if (element?.of === 'map') return `map[string]${goType(element.type)}`;
  if (type === 'bytes') return '[]uint8';
  if (type === 'double') return 'float64';
  return type.split('.').slice(-2).join('.');
}

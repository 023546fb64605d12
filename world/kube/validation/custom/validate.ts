import { isDeepStrictEqual } from 'node:util';
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from '../../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../../protocols/kube/field-error.ts';
import { hasFormat } from './formats.ts';
import { goRegExp } from './regexp.ts';
import { isObject, propertyOf } from './schema.ts';
import type { Schema } from './schema.ts';

/** The field name in messages for errors without a field. */
const NO_FIELD = '<nil>';

/**
 * Validates a value against a schema, with the messages of `kube-openapi/pkg/validation` as the API server reports them.
 * Parts that an update leaves unchanged are not validated again (validation ratcheting); list items are matched only by
 * their keys.
 * @param path of the value, empty for a whole object
 * @param old the value before an update; undefined on creation
 */
export function validateSchema(value: unknown, schema: Schema, path: string, old?: unknown): FieldError[] {
  if (old !== undefined && isDeepStrictEqual(value, old)) return [];
  const errors: FieldError[] = validateType(value, schema, path);
  if (value === null) return [...errors, ...validateEnum(value, schema, path)];
  errors.push(...validateAlternatives(value, schema, path));
  if (typeof value === 'string') errors.push(...validateString(value, schema, path));
  else if (typeof value === 'number') errors.push(...validateNumber(value, schema, path));
  else if (Array.isArray(value)) errors.push(...validateItems(value, schema, path, old));
  errors.push(...validateEnum(value, schema, path));
  if (isObject(value)) errors.push(...validateFields(value, schema, path, old));
  return errors;
}

function validateType(value: unknown, schema: Schema, path: string): FieldError[] {
  const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type === undefined ? [] : [schema.type];
  if (types.length === 0) return [];
  const actual = typeOf(value);
  const fits = value === null ? schema.nullable === true : types.includes(actual) || (actual === 'integer' && types.includes('number'));
  if (fits) return [];
  return [typeInvalid(path, actual, `${inBody(path)} must be of type ${types.join(',')}: ${JSON.stringify(actual)}`)];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function validateAlternatives(value: unknown, schema: Schema, path: string): FieldError[] {
  const { anyOf, oneOf, allOf, not } = schema;
  const errors: FieldError[] = [];
  const results = (schemas: readonly Schema[] | undefined): FieldError[][] =>
    (schemas ?? []).map((one) => validateSchema(value, one, path));
  const whole = (text: string): FieldError => invalid(NO_FIELD, '', `${JSON.stringify(path)} must ${text}`);
  const any = results(anyOf);
  if (any.length > 0 && any.every((result) => result.length > 0)) {
    errors.push(whole('validate at least one schema (anyOf)'), ...(any[0] ?? []));
  }
  const one = results(oneOf);
  const fitting = one.filter((result) => result.length === 0).length;
  if (one.length > 0 && fitting !== 1) {
    const found = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
    errors.push(whole(`validate one and only one schema (oneOf). ${found}`), ...(fitting === 0 ? (one[0] ?? []) : []));
  }
  const all = results(allOf);
  const failed = all.filter((result) => result.length > 0);
  errors.push(...failed.flat());
  if (failed.length > 0) {
    errors.push(whole(`validate all the schemas (allOf)${failed.length === all.length ? '. None validated' : ''}`));
  }
  if (not !== undefined && validateSchema(value, not, path).length === 0) errors.push(whole('not validate the schema (not)'));
  return errors;
}

/** The first problem of a string, and the check of its format. */
function validateString(text: string, { minLength, maxLength, pattern, format }: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { length } = [...text];
  if (maxLength !== undefined && length > maxLength) {
    errors.push(tooLong(path, `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`));
  } else if (minLength !== undefined && length < minLength) {
    errors.push(invalid(path, text, `${inBody(path)} should be at least ${minLength} chars long`));
  } else if (pattern !== undefined && goRegExp(pattern)?.test(text) === false) {
    errors.push(invalid(path, text, `${inBody(path)} should match '${pattern}'`));
  }
  if (format !== undefined && !hasFormat(text, format)) {
    errors.push(typeInvalid(path, text, `${inBody(path)} must be of type ${format}: ${JSON.stringify(text)}`));
  }
  return errors;
}

function validateNumber(value: number, schema: Schema, path: string): FieldError[] {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const errors: FieldError[] = [];
  const refuse = (rule: string): void => void errors.push(invalid(path, value, `${inBody(path)} should be ${rule}`));
  if (multipleOf !== undefined && value % multipleOf !== 0) refuse(`a multiple of ${multipleOf}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    refuse(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    refuse(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  return errors;
}

function validateItems(items: readonly unknown[], schema: Schema, path: string, old: unknown): FieldError[] {
  const { minItems, maxItems, uniqueItems, items: each } = schema;
  const keys = schema['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;
  const before = Array.isArray(old) && keys !== undefined ? old.filter(isObject) : [];
  const counterpart = (item: unknown): unknown =>
    isObject(item) ? before.find((one) => (keys ?? []).every((key) => isDeepStrictEqual(one[key], item[key]))) : undefined;
  const errors =
    each === undefined
      ? []
      : items.flatMap((item, index) => validateSchema(item, each, `${path}[${index}]`, keys === undefined ? undefined : counterpart(item)));
  if (minItems !== undefined && items.length < minItems) {
    errors.push(invalid(path, items.length, `${inBody(path)} should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(path, items.length, maxItems));
  if (uniqueItems === true && repeated(items).length > 0) {
    errors.push(invalid(path, '', `${inBody(path)} shouldn't contain duplicates`));
  }
  return errors;
}

function validateEnum(value: unknown, schema: Schema, path: string): FieldError[] {
  const values = schema.enum;
  if (values === undefined || values.some((one) => isDeepStrictEqual(one, value))) return [];
  return [
    notSupported(
      path,
      value,
      values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
    ),
  ];
}

function validateFields(object: Readonly<Record<string, unknown>>, schema: Schema, path: string, old: unknown): FieldError[] {
  const { minProperties, maxProperties } = schema;
  const before = isObject(old) ? old : {};
  const entries = Object.entries(object);
  const errors: FieldError[] = [];
  if (minProperties !== undefined && entries.length < minProperties) {
    errors.push(invalid(path, entries.length, `${inBody(path)} should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && entries.length > maxProperties) errors.push(tooMany(path, entries.length, maxProperties));
  for (const [key, value] of entries) {
    const property = propertyOf(schema, key);
    if (property !== undefined) errors.push(...validateSchema(value, property, path === '' ? key : `${path}.${key}`, before[key]));
  }
  const missing = (schema.required ?? []).filter((key) => object[key] === undefined);
  return [...errors, ...missing.map((key) => required(path === '' ? key : `${path}.${key}`))];
}

/**
 * Validates that lists of type `set` have unique items and lists of type `map` unique keys
 * (`apiextensions-apiserver/pkg/apiserver/schema/listtype`).
 */
export function validateLists(value: unknown, schema: Schema, path: string): FieldError[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, part]) => {
      const property = propertyOf(schema, key);
      return property === undefined ? [] : validateLists(part, property, path === '' ? key : `${path}.${key}`);
    });
  }
  if (!Array.isArray(value)) return [];
  const items: unknown[] = value;
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown): unknown =>
    isObject(item) ? Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]])) : {};
  const compared = type === 'map' ? items.map(keyOf) : type === 'set' ? items : [];
  const { items: each } = schema;
  return [
    ...repeated(compared).map((index) => duplicate(`${path}[${index}]`, compared[index])),
    ...(each === undefined ? [] : items.flatMap((item, index) => validateLists(item, each, `${path}[${index}]`))),
  ];
}

/** The indexes of repeated values. */
function repeated(values: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const key = JSON.stringify(value);
    const seen = (times.get(key) ?? 0) + 1;
    times.set(key, seen);
    return seen === 2 ? [index] : [];
  });
}

function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { ...invalid(field, value, detail), reason: 'FieldValueTypeInvalid' };
}

/** A field as named in messages: `spec.x in body`. */
function inBody(path: string): string {
  return `${path} in body`;
}

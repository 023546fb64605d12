import { Environment } from '@marcbachmann/cel-js';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../schema.ts';
import type { JsonObject, Schema } from '../schema.ts';
import { escapeName } from './names.ts';

/** How rules see the values of one schema. */
export interface CelType {
  /** The type's name in the library: `int`, `list<string>`, `Object3`. */
  readonly name: string;
  readonly schema: Schema;
  /** Converts a JSON value for rules. A value that does not match the schema stays unchanged. */
  toCel(value: unknown): unknown;
  /** The type of a property, by its name in the schema. */
  readonly properties?: ReadonlyMap<string, CelType>;
  /** The type of a list's items, or of a map's values. */
  readonly element?: CelType;
}

/** An object as rules see it, with escaped field names. */
class CelObject {
  readonly #json: JsonObject;
  constructor(json: JsonObject) {
    this.#json = json;
  }

  static json(value: unknown): JsonObject | undefined {
    return value instanceof CelObject ? value.#json : undefined;
  }
}

/** The fields of `apiVersion`, `kind` and `metadata` that rules see with any schema. */
const TEXT: Schema = { type: 'string' };
const META: Readonly<Record<string, Schema>> = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

/**
 * Creates the types of schemas (`apiserver/pkg/cel/common/schemas.go`) and declares object types in an environment.
 */
export class CelTypes {
  readonly #env: Environment;
  /** Converted lists whose order doesn't matter. */
  readonly #unordered = new WeakSet<readonly unknown[]>();
  /** List types with a declared comparison. */
  readonly #compared = new Set<string>();
  readonly #byRoot = new WeakMap<Schema, CelType>();
  readonly #bySchema = new WeakMap<Schema, CelType>();
  #objects = 0;

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * @param isResource whether the schema is that of a resource, whose name and kind rules see
   * @returns undefined for fields without a type, which rules can't see
   */
  of(schema: Schema, isResource = schema['x-kubernetes-embedded-resource'] === true): CelType | undefined {
    const cache = isResource ? this.#byRoot : this.#bySchema;
    const known = cache.get(schema);
    if (known !== undefined) return known;
    const type = this.#make(schema, isResource);
    if (type !== undefined) cache.set(schema, type);
    return type;
  }

  #make(schema: Schema, isResource: boolean): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return { name: 'dyn', schema, toCel: intOrString };
    if (isResource) return this.#object(schema, { ...schema.properties, ...META });
    const type = this.#makeTyped(schema);
    // In the library, only the dynamic type includes null.
    return type === undefined || schema.nullable !== true ? type : { ...type, name: 'dyn' };
  }

  #makeTyped(schema: Schema): CelType | undefined {
    switch (schema.type) {
      case 'array':
        return this.#list(schema);
      case 'object': {
        const { additionalProperties } = schema;
        return isObject(additionalProperties) ? this.#map(schema, additionalProperties) : this.#object(schema, schema.properties ?? {});
      }
      case 'string':
        return textType(schema);
      case 'boolean':
        return { name: 'bool', schema, toCel: same };
      case 'number':
        return { name: 'double', schema, toCel: same };
      case 'integer':
        return { name: 'int', schema, toCel: intOrString };
      default:
        return undefined;
    }
  }

  #list(schema: Schema): CelType | undefined {
    const element = schema.items === undefined ? undefined : this.of(schema.items);
    if (element === undefined) return undefined;
    const name = `list<${element.name}>`;
    const unordered = ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '');
    if (unordered && element.name !== 'dyn' && !this.#compared.has(name)) {
      this.#compared.add(name);
      this.#env.registerOperator(`${name} == ${name}`, (a: readonly unknown[], b: readonly unknown[]) =>
        this.#unordered.has(a) ? sameItems(a, b) : sameValue(a, b),
      );
    }
    const toCel = (value: unknown): unknown => {
      if (!Array.isArray(value)) return value;
      const items: unknown[] = value.map((item) => element.toCel(item));
      if (unordered) this.#unordered.add(items);
      return items;
    };
    return { name, schema, element, toCel: once(toCel) };
  }

  #map(schema: Schema, values: Schema): CelType | undefined {
    const element = this.of(values);
    if (element === undefined) return undefined;
    const toCel = (value: unknown): unknown =>
      isObject(value) ? new Map(Object.entries(value).map(([key, one]) => [key, element.toCel(one)])) : value;
    return { name: `map<string, ${element.name}>`, schema, element, toCel: once(toCel) };
  }

  #object(schema: Schema, properties: Readonly<Record<string, Schema>>): CelType {
    const types = new Map<string, CelType>();
    const fields: Record<string, string> = {};
    const escaped = new Map<string, string>();
    for (const [key, property] of Object.entries(properties)) {
      const type = this.of(property);
      if (type === undefined || key === 'constructor') continue;
      types.set(key, type);
      const field = escapeName(key);
      if (field === undefined) continue;
      escaped.set(key, field);
      fields[field] = type.name;
    }
    this.#objects += 1;
    const name = `Object${this.#objects}`;
    const Seen = class extends CelObject {};
    this.#env.registerType(name, { ctor: Seen, fields });
    this.#env.registerOperator(`${name} == ${name}`, (a: unknown, b: unknown) =>
      sameJson(CelObject.json(a), CelObject.json(b), { ...schema, properties }),
    );
    const toCel = (value: unknown): unknown => {
      if (!isObject(value)) return value;
      const seen = new Seen(value);
      for (const [key, field] of escaped) {
        const below = value[key];
        if (below !== undefined) Object.defineProperty(seen, field, { value: types.get(key)?.toCel(below), enumerable: true });
      }
      return seen;
    };
    return { name, schema, properties: types, toCel: once(toCel) };
  }
}

/** Caches the conversion of objects, which are never changed in place: several rules may see parts of one. */
function once(toCel: (value: unknown) => unknown): (value: unknown) => unknown {
  const made = new WeakMap<object, unknown>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return toCel(value);
    const known = made.get(value);
    if (known !== undefined) return known;
    const seen = toCel(value);
    made.set(value, seen);
    return seen;
  };
}

function textType(schema: Schema): CelType {
  switch (schema.format) {
    case 'byte':
      return {
        name: 'bytes',
        schema,
        toCel: (value) => (typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value),
      };
    case 'duration':
      return { name: 'google.protobuf.Duration', schema, toCel: (value) => read('duration', value) };
    case 'date':
      return { name: 'google.protobuf.Timestamp', schema, toCel: (value) => read('timestamp', `${String(value)}T00:00:00Z`) };
    case 'date-time':
      return { name: 'google.protobuf.Timestamp', schema, toCel: (value) => read('timestamp', value) };
    default:
      return { name: 'string', schema, toCel: same };
  }
}

const READERS = {
  duration: new Environment().registerVariable('text', 'string').parse('duration(text)'),
  timestamp: new Environment().registerVariable('text', 'string').parse('timestamp(text)'),
};

/** A text as the library's duration or timestamp; the text itself if it is malformed. */
function read(reader: keyof typeof READERS, text: unknown): unknown {
  try {
    return READERS[reader]({ text });
  } catch {
    return text;
  }
}

function same(value: unknown): unknown {
  return value;
}

function intOrString(value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Whether two converted values are equal in rules. */
export function sameValue(a: unknown, b: unknown): boolean {
  const json = CelObject.json(a);
  if (json !== undefined) return isDeepStrictEqual(json, CelObject.json(b));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  // Durations have no public fields to compare.
  const [left, right] = [a?.valueOf(), b?.valueOf()];
  return typeof left === 'number' && typeof right === 'number' ? left === right : isDeepStrictEqual(a, b);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item) => b.some((other) => sameValue(item, other)));
}

/** Equality of JSON values: sets, and lists with keys, are equal in any order. */
function sameJson(a: unknown, b: unknown, schema: Schema | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    const item = schema?.items;
    const type = schema?.['x-kubernetes-list-type'];
    if (type === 'set' || type === 'map') return a.every((one) => b.some((other) => sameJson(one, other, item)));
    return a.every((one, index) => sameJson(one, b[index], item));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], below(schema, key)));
  }
  return isDeepStrictEqual(a, b);
}

function below(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  return properties?.[key] ?? (isObject(additionalProperties) ? additionalProperties : undefined);
}

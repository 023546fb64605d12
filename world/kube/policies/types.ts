import type { Environment } from '@marcbachmann/cel-js';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';

/** The fields of an object type; those with a capital are other types of this list. */
const TYPES = {
  GroupVersionKind: { group: 'string', version: 'string', kind: 'string' },
  GroupVersionResource: { group: 'string', version: 'string', resource: 'string' },
  UserInfo: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
  AdmissionRequest: {
    kind: 'GroupVersionKind',
    resource: 'GroupVersionResource',
    subResource: 'string',
    requestKind: 'GroupVersionKind',
    requestResource: 'GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  },
  NamespaceSpec: { finalizers: 'list<string>' },
  NamespaceCondition: {
    status: 'string',
    type: 'string',
    lastTransitionTime: 'google.protobuf.Timestamp',
    message: 'string',
    reason: 'string',
  },
  NamespaceStatus: { conditions: 'list<kubernetes.NamespaceCondition>', phase: 'string' },
  NamespaceMetadata: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    labels: 'map<string, string>',
    annotations: 'map<string, string>',
    UID: 'string',
    creationTimestamp: 'google.protobuf.Timestamp',
    deletionGracePeriodSeconds: 'int',
    deletionTimestamp: 'google.protobuf.Timestamp',
    generation: 'int',
    resourceVersion: 'string',
    finalizers: 'list<string>',
  },
  Namespace: { metadata: 'NamespaceMetadata', spec: 'NamespaceSpec', status: 'NamespaceStatus' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

type TypeName = keyof typeof TYPES;

/** An object of a declared type. Without content it is null: the library has no null of an object type. */
class Typed {
  readonly #json: JsonObject | undefined;
  constructor(json: JsonObject | undefined) {
    this.#json = json;
  }
  static json(value: unknown): JsonObject | undefined {
    return value instanceof Typed ? value.#json : undefined;
  }
}

/** Creates values of the declared types. */
export type Make = (type: TypeName, json: JsonObject | undefined) => object;

/**
 * Declares the types of `request` and `namespaceObject` (`apiserver/pkg/admission/plugin/cel/compile.go`).
 * @returns how to make values of them
 */
export function registerTypes(env: Environment): Make {
  const classes = new Map<string, new (json: JsonObject | undefined) => object>();
  for (const [type, fields] of Object.entries(TYPES)) {
    const name = `kubernetes.${type}`;
    const ctor = class extends Typed {};
    classes.set(type, ctor);
    const named = Object.entries(fields).map(([field, one]) => [field, isTypeName(one) ? `kubernetes.${one}` : one]);
    env
      .registerType(name, { ctor, fields: Object.fromEntries(named) as Record<string, string> })
      .registerOperator(`${name} == ${name}`, (a: unknown, b: unknown) => isDeepStrictEqual(Typed.json(a), Typed.json(b)))
      .registerOperator(`${name} == null`, (a: unknown) => Typed.json(a) === undefined);
  }
  const make: Make = (type, json) => {
    const ctor = classes.get(type) ?? Typed;
    const value = new ctor(json);
    for (const [field, one] of Object.entries(TYPES[type])) {
      const below = json?.[field];
      if (below === undefined) continue;
      const seen = isTypeName(one) && isJsonObject(below) ? make(one, below) : toCel(below);
      Object.defineProperty(value, field, { value: seen, enumerable: true });
    }
    return value;
  };
  return make;
}

function isTypeName(name: string): name is TypeName {
  return Object.hasOwn(TYPES, name);
}

/** A JSON value of a type that is known only at run time: whole numbers are integers, and objects are Maps, because a key may be `constructor`. */
export function toCel(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(toCel);
  if (isJsonObject(value)) return new Map(Object.entries(value).map(([key, one]) => [key, toCel(one)]));
  return value;
}

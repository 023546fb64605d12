import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes } from './types.ts';

/** The schema that server-side apply checks a value against before merging it. */
export type TypedSchema =
  | { readonly kind: 'scalar'; readonly of: 'numeric' | 'string' | 'boolean' | 'untyped' }
  /** `keys` identify elements, each with its default; empty for a set, undefined for an atomic list. */
  | { readonly kind: 'list'; readonly keys: Readonly<Record<string, unknown>> | undefined; readonly element: TypedSchema }
  /** `field` returns undefined for an unknown field. */
  | { readonly kind: 'map'; field(name: string): TypedSchema | undefined }
  | { readonly kind: 'any' };

const ANY: TypedSchema = { kind: 'any' };
const SCALARS: Readonly<Record<string, 'numeric' | 'string' | 'boolean' | 'untyped'>> = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  Quantity: 'untyped',
  IntOrString: 'untyped',
  Time: 'untyped',
  MicroTime: 'untyped',
};

/** The schema of a built-in type, as `kube-openapi/pkg/schemaconv` converts it from the API's OpenAPI. */
export function builtInSchema(type: string, types: KubeTypes): TypedSchema {
  return ofField({ type }, types);
}

function ofField({ type, list, keys }: FieldType, types: KubeTypes): TypedSchema {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { kind: 'scalar', of: scalar };
  const element = elementOf(type);
  if (element?.of === 'list') {
    const fields = types.find(element.type)?.fields ?? {};
    const own = Object.fromEntries((keys ?? []).map((key) => [key, fields[key]?.default]));
    const listKeys = list === 'map' ? own : list === 'set' ? {} : undefined;
    return { kind: 'list', keys: listKeys, element: ofField({ type: element.type }, types) };
  }
  if (element !== undefined) {
    const inner = ofField({ type: element.type }, types);
    return { kind: 'map', field: () => inner };
  }
  const known = types.find(type);
  if (known === undefined || known.open === true) return ANY;
  return {
    kind: 'map',
    field: (name) => {
      const found = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
      return found === undefined ? undefined : ofField(found, types);
    },
  };
}

/** The schema of a custom resource. @param schema its `openAPIV3Schema`, if it has one */
export function customSchema(schema: JsonObject | undefined, types: KubeTypes): TypedSchema {
  const own = schema === undefined ? ANY : ofSchema(schema);
  const metadata = builtInSchema('meta.v1.ObjectMeta', types);
  return {
    kind: 'map',
    field: (name) => {
      if (name === 'metadata') return metadata;
      if (name === 'apiVersion' || name === 'kind') return { kind: 'scalar', of: 'string' };
      return own.kind === 'map' ? own.field(name) : ANY;
    },
  };
}

function ofSchema(schema: JsonObject): TypedSchema {
  const { type, items, properties, additionalProperties, format } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'scalar', of: 'untyped' };
  if (type === 'integer' || type === 'number') return { kind: 'scalar', of: 'numeric' };
  if (type === 'boolean') return { kind: 'scalar', of: 'boolean' };
  if (type === 'string') return { kind: 'scalar', of: format === undefined || format === 'byte' ? 'string' : 'untyped' };
  if (type === 'array') {
    const element = isJsonObject(items) ? ofSchema(items) : ANY;
    return { kind: 'list', keys: keysOf(schema, isJsonObject(items) ? items : {}), element };
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const rest = isJsonObject(additionalProperties) ? ofSchema(additionalProperties) : undefined;
  if (!isJsonObject(properties)) {
    if (rest !== undefined) return { kind: 'map', field: () => rest };
    return type === 'object' ? { kind: 'map', field: () => ANY } : ANY;
  }
  return {
    kind: 'map',
    field: (name) => {
      const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return isJsonObject(found) ? ofSchema(found) : (rest ?? (isOpen ? ANY : undefined));
    },
  };
}

function keysOf(schema: JsonObject, items: JsonObject): Readonly<Record<string, unknown>> | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'set') return {};
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return undefined;
  const properties = isJsonObject(items['properties']) ? items['properties'] : {};
  return Object.fromEntries(
    keys.map((key: string) => {
      const property = properties[key];
      return [key, isJsonObject(property) ? property['default'] : undefined] as const;
    }),
  );
}

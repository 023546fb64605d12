import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes } from './types.ts';

/** How server-side apply merges a value, and which of its fields can have owners. */
export type MergeShape =
  /** One value: a scalar or an atomic value. */
  | { readonly kind: 'leaf' }
  /** An object: `isMap` if its keys are data. */
  | { readonly kind: 'object'; readonly isMap: boolean; field(name: string): MergeShape }
  /** A list whose elements are identified by these keys, each with its default or undefined. */
  | {
      readonly kind: 'list';
      readonly keys: Readonly<Record<string, unknown>>;
      readonly element: MergeShape;
      readonly isAlwaysThere?: boolean;
    }
  | { readonly kind: 'set'; readonly isAlwaysThere?: boolean };

const LEAF: MergeShape = { kind: 'leaf' };
const SCALARS = [
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  'Quantity',
  'IntOrString',
  'Time',
  'MicroTime',
  'FieldsV1',
  'RawExtension',
  'Any',
];

/** The shape of a built-in type. @param type its name, e.g. `apps.v1.Deployment` */
export function builtInShape(type: string, types: KubeTypes): MergeShape {
  return fieldShape({ type }, types);
}

function fieldShape(field: FieldType, types: KubeTypes): MergeShape {
  const { type } = field;
  const element = elementOf(type);
  if (element?.of === 'list') {
    if (field.list === 'set') return { kind: 'set' };
    if (field.list !== 'map') return LEAF;
    const fields = types.find(element.type)?.fields ?? {};
    const keys = Object.fromEntries((field.keys ?? []).map((key) => [key, fields[key]?.default]));
    return { kind: 'list', keys, element: fieldShape({ type: element.type }, types) };
  }
  if (field.map === 'atomic' || SCALARS.includes(type)) return LEAF;
  if (element !== undefined) {
    const inner = fieldShape({ type: element.type }, types);
    return { kind: 'object', isMap: true, field: () => inner };
  }
  const known = types.find(type);
  if (known === undefined || known.atomic === true || known.open === true) return LEAF;
  return {
    kind: 'object',
    isMap: false,
    field: (name) => {
      const found = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
      if (found === undefined) return LEAF;
      const shape = fieldShape(found, types);
      // Without `omitempty`, Go writes a null for no list: then the list itself is never a new field.
      const isList = shape.kind === 'list' || shape.kind === 'set';
      return isList && known.required?.includes(name) === true ? { ...shape, isAlwaysThere: true } : shape;
    },
  };
}

/** The shape without a schema: objects are merged, lists are atomic. */
const UNKNOWN: MergeShape = { kind: 'object', isMap: true, field: () => UNKNOWN };

/** The shape of a custom resource. @param schema its `openAPIV3Schema`, if it has one */
export function customShape(schema: JsonObject | undefined, types: KubeTypes): MergeShape {
  const own = schema === undefined ? UNKNOWN : schemaShape(schema);
  const metadata = builtInShape('meta.v1.ObjectMeta', types);
  return {
    kind: 'object',
    isMap: false,
    field: (name) => {
      if (name === 'metadata') return metadata;
      return name === 'apiVersion' || name === 'kind' || own.kind !== 'object' ? LEAF : own.field(name);
    },
  };
}

function schemaShape(schema: JsonObject): MergeShape {
  const items = schema['items'];
  if (isJsonObject(items)) {
    const keys = schema['x-kubernetes-list-map-keys'];
    if (schema['x-kubernetes-list-type'] === 'set') return { kind: 'set' };
    if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return LEAF;
    const properties = isJsonObject(items['properties']) ? items['properties'] : {};
    const defaults = keys.map((key: string) => {
      const property = properties[key];
      return [key, isJsonObject(property) ? property['default'] : undefined] as const;
    });
    return { kind: 'list', keys: Object.fromEntries(defaults), element: schemaShape(items) };
  }
  if (schema['x-kubernetes-map-type'] === 'atomic') return LEAF;
  const { properties, additionalProperties } = schema;
  if (isJsonObject(properties)) {
    return {
      kind: 'object',
      isMap: false,
      field: (name) => {
        const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return isJsonObject(found) ? schemaShape(found) : UNKNOWN;
      },
    };
  }
  if (isJsonObject(additionalProperties)) {
    const inner = schemaShape(additionalProperties);
    return { kind: 'object', isMap: true, field: () => inner };
  }
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? UNKNOWN : LEAF;
}

import { defined } from '../../model/defined.ts';
import { elementOf } from './types.ts';
import type { Description, FieldType, KubeTypes, ObjectType } from './types.ts';

/** A JSON schema in an OpenAPI document. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The Go packages of types, by the prefix of the type's name here. */
const PACKAGES: readonly (readonly [string, string])[] = [
  ['meta.', 'io.k8s.apimachinery.pkg.apis.'],
  ['apiextensions.', 'io.k8s.apiextensions-apiserver.pkg.apis.'],
  ['', 'io.k8s.api.'],
];

const SCALARS: Readonly<Record<string, OpenApiSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  Any: {},
};

/** The API's own scalars, which have schemas of their own: their names in documents, and how they are written. */
export const NAMED_SCALARS: Readonly<Record<string, { readonly name: string; readonly schema: OpenApiSchema }>> = {
  Quantity: { name: 'io.k8s.apimachinery.pkg.api.resource.Quantity', schema: { type: 'string' } },
  IntOrString: { name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString', schema: { type: 'string', format: 'int-or-string' } },
  Time: { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time', schema: { type: 'string', format: 'date-time' } },
  MicroTime: { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', schema: { type: 'string', format: 'date-time' } },
  FieldsV1: { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', schema: { type: 'object' } },
  RawExtension: { name: 'io.k8s.apimachinery.pkg.runtime.RawExtension', schema: { type: 'object' } },
};

/** The prefix of references in OpenAPI 2, and in OpenAPI 3. */
export const DEFINITIONS = '#/definitions/';
export const COMPONENTS = '#/components/schemas/';

/** A type's name in OpenAPI documents: `io.k8s.api.core.v1.Pod`. */
export function openApiName(type: string): string {
  const scalar = NAMED_SCALARS[type];
  if (scalar !== undefined) return scalar.name;
  const [, prefix = ''] = PACKAGES.find(([begin]) => type.startsWith(begin)) ?? [];
  return prefix + type;
}

/**
 * The schemas of types and of all types in them, by their names in documents: with patch strategies, list types and their
 * kinds, and the descriptions that `kubectl explain` shows.
 * @param refs the prefix of references: `#/definitions/`, `#/components/schemas/`
 */
export function openApiSchemas(roots: readonly string[], types: KubeTypes, refs: string): Record<string, OpenApiSchema> {
  const schemas: Record<string, OpenApiSchema> = {};
  const todo = [...roots];
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    const type = types.find(name);
    const full = openApiName(name);
    if (Object.hasOwn(schemas, full)) continue;
    const scalar = NAMED_SCALARS[name];
    if (scalar !== undefined)
      schemas[full] = { ...defined({ description: types.describe(name)?.text }), ...scalarSchema(scalar.schema, refs) };
    if (type === undefined) continue;
    schemas[full] = schemaOf(type, types.kindsOf(name), refs, types.describe(name));
    todo.push(...Object.values(type.fields).map((field) => innermost(field.type)));
  }
  return schemas;
}

/** In OpenAPI 3, nothing may stand beside a reference, as in the real documents. */
function withDescription(schema: OpenApiSchema, description: string | undefined, refs: string): OpenApiSchema {
  const { $ref, ...rest } = schema;
  if (description === undefined) return schema;
  return $ref === undefined || refs === DEFINITIONS ? { description, ...schema } : { description, allOf: [{ $ref }], ...rest };
}

/** OpenAPI 3 says in its own way that a value is a number or text. */
function scalarSchema(schema: OpenApiSchema, refs: string): OpenApiSchema {
  if (schema['format'] !== 'int-or-string' || refs === DEFINITIONS) return schema;
  return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
}

function innermost(type: string): string {
  const element = elementOf(type);
  return element === undefined ? type : innermost(element.type);
}

/** With the possible values, of the elements if it is a list. */
function withValues(schema: OpenApiSchema, values: readonly string[] | undefined): OpenApiSchema {
  if (values === undefined) return schema;
  const items = schema['items'];
  return typeof items === 'object' ? { ...schema, items: { ...items, enum: values } } : { ...schema, enum: values };
}

function schemaOf(type: ObjectType, kinds: readonly string[], refs: string, described: Description | undefined): OpenApiSchema {
  const properties = Object.entries(type.fields).map(
    ([name, field]) =>
      [name, withDescription(withValues(fieldSchema(field, refs), described?.values?.[name]), described?.fields[name], refs)] as const,
  );
  return {
    ...defined({ description: described?.text }),
    type: 'object',
    ...(type.open === true ? {} : { properties: Object.fromEntries(properties) }),
    ...defined({ required: type.required }),
    ...(type.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': kinds.map(groupVersionKind) }),
  };
}

/** `apps/v1/Deployment` in parts. */
export function groupVersionKind(kind: string): { readonly group: string; readonly version: string; readonly kind: string } {
  const [last = '', version = '', group = ''] = kind.split('/').reverse();
  return { group, version, kind: last };
}

function fieldSchema({ type, patch, key, list, keys, map }: FieldType, refs: string): OpenApiSchema {
  return {
    ...valueSchema(type, refs),
    ...defined({
      'x-kubernetes-patch-strategy': patch,
      'x-kubernetes-patch-merge-key': key,
      'x-kubernetes-list-type': list,
      'x-kubernetes-list-map-keys': keys,
      'x-kubernetes-map-type': map,
    }),
  };
}

function valueSchema(type: string, refs: string): OpenApiSchema {
  const element = elementOf(type);
  if (element?.of === 'list') return { type: 'array', items: valueSchema(element.type, refs) };
  if (element?.of === 'map') return { type: 'object', additionalProperties: valueSchema(element.type, refs) };
  return SCALARS[type] ?? { $ref: refs + openApiName(type) };
}

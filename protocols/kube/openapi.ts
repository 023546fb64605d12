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
  Quantity: { type: 'string' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  FieldsV1: { type: 'object' },
  RawExtension: { type: 'object' },
  Any: {},
};

/** The prefix of references in OpenAPI 2, and in OpenAPI 3. */
export const DEFINITIONS = '#/definitions/';
export const COMPONENTS = '#/components/schemas/';

/** A type's name in OpenAPI documents: `io.k8s.api.core.v1.Pod`. */
export function openApiName(type: string): string {
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
    if (type === undefined || Object.hasOwn(schemas, full)) continue;
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

function innermost(type: string): string {
  const element = elementOf(type);
  return element === undefined ? type : innermost(element.type);
}

function schemaOf(type: ObjectType, kinds: readonly string[], refs: string, described: Description | undefined): OpenApiSchema {
  const properties = Object.entries(type.fields).map(
    ([name, field]) => [name, withDescription(fieldSchema(field, refs), described?.fields[name], refs)] as const,
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

import { isJsonObject } from './json.ts';
import type { OpenApiSchema } from './openapi.ts';
import { joined, writeField } from './protobuf-writer.ts';
import type { Parts } from './protobuf-writer.ts';

/** The parts of a swagger document that are written. */
export interface Swagger {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, { readonly patch?: SwaggerOperation }>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}

/** An operation on a path. */
export interface SwaggerOperation {
  readonly parameters: readonly { readonly name: string }[];
  readonly 'x-kubernetes-group-version-kind': object;
}

/**
 * A swagger document in the protobuf of gnostic's `OpenAPIv2.proto`. It has only what kubectl before 1.27 needs to validate and
 * merge: the definitions, and the query parameters of patches.
 */
export function writeSwagger({ info, paths, definitions }: Swagger): Uint8Array {
  const schemas = Object.entries(definitions).map(([name, schema]) => writeField(1, named(name, schemaParts(schema))));
  const patches = Object.entries(paths).flatMap(([path, { patch }]) =>
    patch === undefined ? [] : [writeField(2, named(path, [writeField(8, operationParts(patch))]))],
  );
  return joined([
    writeField(1, '2.0'),
    writeField(2, [writeField(1, info.title), writeField(2, info.version)]),
    writeField(8, patches),
    writeField(9, schemas),
  ]);
}

/** Field numbers of the message Operation; a parameter is four messages deep. */
function operationParts(operation: SwaggerOperation): Parts {
  const gvk = 'x-kubernetes-group-version-kind';
  return [
    ...operation.parameters.map(({ name }) => {
      const query = [writeField(2, 'query'), writeField(4, name), writeField(6, 'string')];
      return writeField(8, [writeField(1, [writeField(2, [writeField(3, query)])])]);
    }),
    extension(gvk, operation[gvk], 13),
  ];
}

function extension(name: string, value: unknown, number: number): Parts {
  return writeField(number, named(name, [writeField(2, JSON.stringify(value))]));
}

function named(name: string, value: Parts): Parts {
  return [writeField(1, name), writeField(2, value)];
}

/** Field numbers of the message Schema. */
function schemaParts(schema: OpenApiSchema): Parts {
  const { $ref, format, type, items, properties, additionalProperties, required } = schema;
  const extensions = Object.entries(schema).filter(([name]) => name.startsWith('x-'));
  return [
    ...(typeof $ref === 'string' ? [writeField(1, $ref)] : []),
    ...(typeof format === 'string' ? [writeField(2, format)] : []),
    ...(Array.isArray(required) ? required.map((name) => writeField(19, String(name))) : []),
    ...(isJsonObject(additionalProperties) ? [writeField(21, [writeField(1, schemaParts(additionalProperties))])] : []),
    ...(typeof type === 'string' ? [writeField(22, [writeField(1, type)])] : []),
    ...(isJsonObject(items) ? [writeField(23, [writeField(1, schemaParts(items))])] : []),
    ...(isJsonObject(properties) ? [writeField(25, propertyParts(properties))] : []),
    ...extensions.map(([name, value]) => extension(name, value, 31)),
  ];
}

function propertyParts(properties: OpenApiSchema): Parts {
  return Object.entries(properties).map(([name, schema]) => writeField(1, named(name, isJsonObject(schema) ? schemaParts(schema) : [])));
}

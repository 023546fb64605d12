import { parseAccept } from '../../protocols/kube/accept.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { COMPONENTS, DEFINITIONS, openApiName, openApiSchemas } from '../../protocols/kube/openapi.ts';
import type { OpenApiSchema } from '../../protocols/kube/openapi.ts';
import { writeSwagger } from '../../protocols/kube/openapi-protobuf.ts';
import type { SwaggerOperation } from '../../protocols/kube/openapi-protobuf.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { WireResponse } from '../../wire/wire.ts';
import type { ResourceTable } from './resource-table.ts';
import { apiVersionOf } from './resource.ts';
import type { Resource } from './resource.ts';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The content type of protobuf answers: the one that clients request is not a valid media type, because of its `@`. */
const PROTOBUF_ANSWER = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const INFO = { title: 'Kubernetes', version: 'v1.34.4' };

/** The schema of a custom resource from its definition, if any. */
export type SchemaOf = (resource: Resource) => OpenApiSchema | undefined;

/**
 * Answers `/openapi/v2` and `/openapi/v3`: the schemas of the served resources, and for each path its kind and the query parameters
 * of its writes, since kubectl looks up both. Undefined for other paths.
 */
export function describeOpenApi(
  path: string,
  accept: string | undefined,
  table: ResourceTable,
  types: KubeTypes,
  schemaOf: SchemaOf,
): WireResponse | undefined {
  const pathname = path.split('?', 1).join('').replace(/\/$/, '');
  if (pathname === '/openapi/v2') {
    const roots = table.all().flatMap((resource) => typeOf(resource, types) ?? []);
    const definitions = { ...openApiSchemas(roots, types, DEFINITIONS), ...customSchemas(table.all(), types, schemaOf, DEFINITIONS) };
    const document = { swagger: '2.0', info: INFO, paths: pathsOf(table.all(), DEFINITIONS), definitions };
    if (parseAccept(accept)[0]?.type !== PROTOBUF) return json(document);
    return { status: 200, headers: { 'content-type': PROTOBUF_ANSWER }, body: writeSwagger(document) };
  }
  if (pathname === '/openapi/v3') {
    const paths = [...new Set(table.all().map(rootOf))].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }]);
    return json({ paths: Object.fromEntries(paths) as object });
  }
  if (!pathname.startsWith('/openapi/v3/')) return undefined;
  const served = table.all().filter((resource) => `/openapi/v3/${rootOf(resource)}` === pathname);
  if (served.length === 0) return undefined;
  const roots = served.flatMap((resource) => typeOf(resource, types) ?? []);
  const schemas = {
    ...openApiSchemas([...roots, 'meta.v1.ObjectMeta'], types, COMPONENTS),
    ...customSchemas(served, types, schemaOf, COMPONENTS),
  };
  return json({ openapi: '3.0.0', info: INFO, paths: pathsOf(served, COMPONENTS), components: { schemas } });
}

function json(document: object): WireResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) };
}

function typeOf(resource: Resource, types: KubeTypes): string | undefined {
  return resource.custom ? undefined : types.nameOf(apiVersionOf(resource), resource.kind);
}

/** `api/v1`, `apis/apps/v1` */
function rootOf(resource: Resource): string {
  return `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
}

function customSchemas(resources: readonly Resource[], types: KubeTypes, schemaOf: SchemaOf, refs: string): Record<string, OpenApiSchema> {
  const schemas = resources
    .filter(({ custom }) => custom)
    .map((resource) => {
      const { group, version, kind } = resource;
      const schema = schemaOf(resource) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const own = isJsonObject(schema['properties']) ? schema['properties'] : {};
      const properties = { ...own, ...commonProperties(types, refs) };
      return [customName(resource), { ...schema, properties, 'x-kubernetes-group-version-kind': [{ group, version, kind }] }] as const;
    });
  return Object.fromEntries(schemas);
}

/** Of every object, as the API's own kinds have them. */
function commonProperties(types: KubeTypes, refs: string): Record<string, unknown> {
  const properties = openApiSchemas(['core.v1.ConfigMap'], types, refs)[openApiName('core.v1.ConfigMap')]?.['properties'];
  const { apiVersion, kind, metadata } = isJsonObject(properties) ? properties : {};
  return { apiVersion, kind, metadata };
}

/** `sh.karpenter.v1.NodeClaim` */
function customName({ group, version, kind }: Resource): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

const RESPONSES = { responses: { '200': { description: 'OK' } } };

/** Query parameters by method. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  get: [],
  post: ['dryRun', 'fieldManager', 'fieldValidation'],
  put: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy'],
};

function pathsOf(resources: readonly Resource[], refs: string): Record<string, Record<string, SwaggerOperation>> {
  const isV3 = refs === COMPONENTS;
  const operation = (resource: Resource, method: string): SwaggerOperation => {
    const { group, version, kind } = resource;
    const parameters = (PARAMETERS[method] ?? []).map((name) => {
      const type = { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true };
      return { name, in: 'query', ...(isV3 ? { schema: type } : type) };
    });
    return { parameters, ...RESPONSES, 'x-kubernetes-group-version-kind': { group, version, kind } };
  };
  const paths = resources.flatMap((resource) => {
    const collection = `/${rootOf(resource)}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
    const entry = (path: string, methods: readonly string[]): [string, Record<string, SwaggerOperation>] => [
      path,
      Object.fromEntries(methods.map((method) => [method, operation(resource, method)])),
    ];
    return [entry(collection, ['get', 'post', 'delete']), entry(`${collection}/{name}`, ['get', 'put', 'patch', 'delete'])];
  });
  return Object.fromEntries(paths);
}

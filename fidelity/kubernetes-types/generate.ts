import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { packageRoot } from '../../model/package-root.ts';
import type { FieldType, ObjectType } from '../../protocols/kube/types.ts';

/**
 * Writes `fixtures/data/kubernetes-types.json`: the types of the built-in kinds that the embedded API server knows.
 *
 *     npx node fidelity/kubernetes-types/generate.ts GOMODCACHE VERSION [KIND...]
 *
 * GOMODCACHE is the folder of Go's module cache (`go env GOMODCACHE`) with k8s.io/kubernetes at v1.VERSION, k8s.io/api,
 * k8s.io/apimachinery and k8s.io/apiextensions-apiserver at v0.VERSION; VERSION is, for example, 34.4. The kinds are those that
 * the file has already and the given ones, as in `networking.k8s.io/v1/ServiceCIDR`.
 *
 * Types, patch strategies and list types come from the OpenAPI document; field numbers, and whether a zero is kept, from the
 * tags of the Go structs.
 */
const [moduleCache, kubeVersion, ...added] = process.argv.slice(2);
if (moduleCache === undefined || kubeVersion === undefined) throw new Error('usage: generate.ts GOMODCACHE VERSION [KIND...]');

const FILE = join(packageRoot(), 'fixtures/data/kubernetes-types.json');
const modules = join(moduleCache, 'k8s.io');

/** A schema of the OpenAPI document, as far as it is used. */
interface Schema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly $ref?: string | undefined;
  readonly items?: Schema | undefined;
  readonly additionalProperties?: Schema | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly default?: unknown;
  readonly 'x-kubernetes-patch-strategy'?: string | undefined;
  readonly 'x-kubernetes-patch-merge-key'?: string | undefined;
  readonly 'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic' | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  readonly 'x-kubernetes-map-type'?: string | undefined;
  readonly 'x-kubernetes-group-version-kind'?:
    readonly { readonly group: string; readonly version: string; readonly kind: string }[] | undefined;
}

/** What the tags and comments of a Go struct say of a field. */
interface GoField {
  /** Field number in protobuf. */
  readonly wire: string;
  readonly isPointer: boolean;
  readonly omitsEmpty: boolean;
  readonly default?: unknown;
}

/** A Go struct: its fields by their names in JSON, and the structs whose fields are inlined. */
interface GoStruct {
  readonly fields: ReadonlyMap<string, GoField>;
  readonly inlined: readonly { readonly type: string; readonly wire: string }[];
}

const STRUCT = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm;
const FIELD = /^\t(?:(\w+) +)?([\w.*[\]]+)(?:\{\})? +`([^`]*)`/;
const DEFAULT = /^\t\/\/ \+default=(.*)$/;

function structsOf(source: string): Map<string, GoStruct> {
  return new Map([...source.matchAll(STRUCT)].map(([, name = '', body = '']) => [name, structOf(body)]));
}

function structOf(body: string): GoStruct {
  const fields = new Map<string, GoField>();
  const inlined: { type: string; wire: string }[] = [];
  let preset: unknown;
  for (const line of body.split('\n')) {
    const marker = DEFAULT.exec(line)?.[1];
    if (marker !== undefined && !marker.startsWith('ref(')) preset = JSON.parse(marker);
    const [, , type = '', tags] = FIELD.exec(line) ?? [];
    if (tags === undefined) continue;
    const [name = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
    const wire = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
    if (options.includes('inline')) {
      if (wire !== undefined) inlined.push({ type: type.replace(/^.*\./, ''), wire });
    } else if (wire !== undefined) {
      const omitsEmpty = options.includes('omitempty');
      fields.set(name, { wire, isPointer: type.startsWith('*'), omitsEmpty, ...defined({ default: preset }) });
    }
    preset = undefined;
  }
  return { fields, inlined };
}

/** All fields of a struct, with those of the inlined ones, whose numbers follow the one of the inlined message. */
function fieldsOf(structs: ReadonlyMap<string, GoStruct>, name: string): Map<string, GoField> {
  const { fields = new Map<string, GoField>(), inlined = [] } = structs.get(name) ?? {};
  const all = new Map(fields);
  for (const { type, wire } of inlined) {
    for (const [field, one] of fieldsOf(structs, type)) all.set(field, { ...one, wire: `${wire}.${one.wire}` });
  }
  return all;
}

/** Where the Go package of a type lies, by the beginning of its name in the OpenAPI document. */
const PACKAGES = [
  { prefix: 'io.k8s.api.', folder: `api@v0.${kubeVersion}` },
  { prefix: 'io.k8s.apimachinery.pkg.apis.', folder: `apimachinery@v0.${kubeVersion}/pkg/apis` },
  { prefix: 'io.k8s.apiextensions-apiserver.pkg.apis.', folder: `apiextensions-apiserver@v0.${kubeVersion}/pkg/apis` },
];

/** Types that are written as one value in JSON. */
const SCALARS: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'Quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'IntOrString',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'Time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'MicroTime',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'FieldsV1',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'RawExtension',
};
/** Of CustomResourceDefinitions: any JSON. */
const ANY = /\.(JSON|JSONSchemaPropsOr\w+)$/;
/** The other form of a value that may be a schema, by the end of its type's name. */
const SCHEMA_OR = { JSONSchemaPropsOrArray: 'schemas', JSONSchemaPropsOrBool: 'bool', JSONSchemaPropsOrStringArray: 'strings' } as const;
const PRIMITIVES: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', integer: 'int32', number: 'double' };
const ZEROS = ['string', 'bool', 'int32', 'int64', 'double'];

const goPackages = new Map<string, ReadonlyMap<string, GoStruct>>();

/** The fields of a type in Go. @param full its name in the OpenAPI document */
function goFieldsOf(full: string): ReadonlyMap<string, GoField> {
  const at = PACKAGES.find(({ prefix }) => full.startsWith(prefix));
  if (at === undefined) throw new Error(`the Go package of ${full} is not known`);
  const [group = '', version = '', name = ''] = full.slice(at.prefix.length).split('.');
  const folder = join(modules, at.folder, group, version);
  let structs = goPackages.get(folder);
  if (structs === undefined) {
    const sources = readdirSync(folder).filter((file) => /^types.*\.go$/.test(file));
    structs = new Map(sources.flatMap((file) => [...structsOf(readFileSync(join(folder, file), 'utf8'))]));
    goPackages.set(folder, structs);
  }
  return fieldsOf(structs, name);
}

function shortName(full: string): string {
  return full.split('.').slice(-3).join('.');
}

/** The type of a schema; `found` is called with each object type that it refers to. */
function typeOf(schema: Schema, found: (full: string) => void): string {
  const full = schema.$ref?.replace('#/definitions/', '');
  if (full !== undefined) {
    const scalar = ANY.test(full) ? 'Any' : SCALARS[full];
    if (scalar === undefined) found(full);
    return scalar ?? shortName(full);
  }
  if (schema.items !== undefined) return `[]${typeOf(schema.items, found)}`;
  if (schema.additionalProperties !== undefined) return `{}${typeOf(schema.additionalProperties, found)}`;
  if (schema.format === 'byte') return 'bytes';
  if (schema.format === 'int64') return 'int64';
  const primitive = PRIMITIVES[schema.type ?? ''];
  if (primitive === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return primitive;
}

/** The other form of a schema, or of the schemas in a map. */
function schemaOrOf({ $ref, additionalProperties }: Schema): FieldType['schemaOr'] {
  const name = ($ref ?? additionalProperties?.$ref)?.split('.').at(-1) ?? '';
  return Object.entries(SCHEMA_OR).find(([type]) => type === name)?.[1];
}

function fieldType(schema: Schema, go: GoField | undefined, found: (full: string) => void): FieldType {
  const type = typeOf(schema, found);
  const list = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const patch = schema['x-kubernetes-patch-strategy'];
  const key = schema['x-kubernetes-patch-merge-key'];
  const keepsZero = ZEROS.includes(type) && go !== undefined && (go.isPointer || !go.omitsEmpty);
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  const schemaOr = schemaOrOf(schema);
  const zero = keepsZero ? true : undefined;
  const map = isAtomic ? ('atomic' as const) : undefined;
  return { type, ...defined({ zero, wire: go?.wire, schemaOr, patch, key, list, keys, map, default: go?.default }) };
}

function objectType(full: string, schema: Schema, found: (full: string) => void): ObjectType {
  const go = goFieldsOf(full);
  const properties = Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    fields: Object.fromEntries(properties.map(([name, property]) => [name, fieldType(property, go.get(name), found)])),
    ...defined({
      required: schema.required,
      atomic: schema['x-kubernetes-map-type'] === 'atomic' ? true : undefined,
      open: schema.properties === undefined ? true : undefined,
    }),
  };
}

const kinds = z.object({ kinds: z.record(z.string(), z.string()), types: z.record(z.string(), z.unknown()) });
const before = kinds.parse(JSON.parse(readFileSync(FILE, 'utf8')));
const swagger = JSON.parse(readFileSync(join(modules, `kubernetes@v1.${kubeVersion}/api/openapi-spec/swagger.json`), 'utf8')) as {
  readonly definitions: Readonly<Record<string, Schema>>;
};

/** The definition of a kind, as in `apps/v1/Deployment`. */
function definitionOf(kind: string): string {
  const parts = kind.split('/');
  const [group = '', version = '', name = ''] = parts.length === 2 ? ['', ...parts] : parts;
  const known = before.kinds[kind];
  const candidates = Object.entries(swagger.definitions).filter(([, { 'x-kubernetes-group-version-kind': gvks = [] }]) =>
    gvks.some((gvk) => gvk.group === group && gvk.version === version && gvk.kind === name),
  );
  const found = candidates.find(([full]) => known === undefined || shortName(full) === known)?.[0];
  if (found === undefined) throw new Error(`the OpenAPI document has no kind ${kind}`);
  return found;
}

const names = [...new Set([...Object.keys(before.kinds), ...added])];
const roots = names.map((kind) => [kind, definitionOf(kind)] as const);
const types = new Map<string, ObjectType>();
const queue = roots.map(([, full]) => full);
for (const full of queue) {
  if (types.has(shortName(full))) continue;
  const schema = swagger.definitions[full];
  if (schema === undefined) throw new Error(`the OpenAPI document does not define ${full}`);
  types.set(
    shortName(full),
    objectType(full, schema, (other) => queue.push(other)),
  );
}

const source = `Kubernetes v1.${kubeVersion}: types, patch strategies and list types of api/openapi-spec/swagger.json, field numbers ('wire') of the tags of the Go structs; written by fidelity/kubernetes-types/generate.ts`;
const lines = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, type]) => `${JSON.stringify(name)}: ${JSON.stringify(type)}`);
const kindNames = JSON.stringify(Object.fromEntries(roots.map(([kind, full]) => [kind, shortName(full)])));
writeFileSync(FILE, `{\n"source": ${JSON.stringify(source)},\n"kinds": ${kindNames},\n"types": {\n${lines.join(',\n')}\n}\n}\n`);
console.log(`${roots.length} kinds, ${types.size} types`);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { packageRoot } from '../../model/package-root.ts';

/** A field of a built-in type. */
export interface FieldType {
  /**
   * `string`, `bool`, `int32`, `int64`, `double`, `bytes`; one of the API's own scalars (`Quantity`, `IntOrString`,
   * `Time`, `MicroTime`, `FieldsV1`, `RawExtension`, `Any`); or the name of a type. A list is `[]T`, a map `{}T`.
   */
  readonly type: string;
  /** Field number in protobuf; `2.4` is field 4 of the message in field 2, whose fields are inlined in JSON. */
  readonly wire?: string;
  /** The value, or each value of a map, is a JSON schema or this, each with a field of its own in protobuf. */
  readonly schemaOr?: 'schemas' | 'bool' | 'strings';
  /** The Go field is a pointer or has no `omitempty`: a zero sent in protobuf is kept. */
  readonly zero?: boolean;
  /** `patchStrategy` of its Go struct tag: `merge`, `retainKeys`, `merge,retainKeys`. */
  readonly patch?: string;
  /** `patchMergeKey` of its Go struct tag. */
  readonly key?: string;
  /** `listType` and `listMapKey`, used by server-side apply. */
  readonly list?: 'map' | 'set' | 'atomic';
  readonly keys?: readonly string[];
  readonly map?: 'atomic';
  /** The default of a list key that may be omitted. */
  readonly default?: unknown;
}

/** A built-in object type. */
export interface ObjectType {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly required?: readonly string[];
  /** Server-side apply treats it as one value. */
  readonly atomic?: boolean;
  /** May have any fields. */
  readonly open?: boolean;
}

/** What the API's documentation says of a type. */
export interface Description {
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The possible values of fields, or of the elements of lists. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

/** The types of the built-in kinds, from `fixtures/data/kubernetes-types.json`. */
export class KubeTypes {
  readonly #kinds: Readonly<Record<string, string>>;
  readonly #types: Readonly<Record<string, ObjectType>>;
  readonly #loadDescriptions: () => Readonly<Record<string, Description>>;
  #descriptions: Readonly<Record<string, Description>> | undefined;

  /** @param loadDescriptions called when they are first asked for: few clients do */
  constructor(
    data: { readonly kinds: Readonly<Record<string, string>>; readonly types: Readonly<Record<string, ObjectType>> },
    loadDescriptions: () => Readonly<Record<string, Description>> = () => ({}),
  ) {
    this.#kinds = data.kinds;
    this.#types = data.types;
    this.#loadDescriptions = loadDescriptions;
  }

  /** The name of a kind's type. @param apiVersion `v1`, `apps/v1` */
  nameOf(apiVersion: string, kind: string): string | undefined {
    const key = `${apiVersion}/${kind}`;
    return Object.hasOwn(this.#kinds, key) ? this.#kinds[key] : undefined;
  }

  /** A type by its name, e.g. `core.v1.PodSpec`. */
  find(name: string): ObjectType | undefined {
    return Object.hasOwn(this.#types, name) ? this.#types[name] : undefined;
  }

  /** What the documentation says of a type. */
  describe(name: string): Description | undefined {
    this.#descriptions ??= this.#loadDescriptions();
    return Object.hasOwn(this.#descriptions, name) ? this.#descriptions[name] : undefined;
  }

  /** All types by name, for documents that list all of them. */
  all(): [string, ObjectType][] {
    return Object.entries(this.#types);
  }

  /** The kinds whose type this is, as `apiVersion/kind`. */
  kindsOf(name: string): string[] {
    return Object.keys(this.#kinds).filter((kind) => this.#kinds[kind] === name);
  }
}

/** The element type of a list or map; undefined for any other type. */
export function elementOf(type: string): { readonly of: 'list' | 'map'; readonly type: string } | undefined {
  if (type.startsWith('[]')) return { of: 'list', type: type.slice(2) };
  return type.startsWith('{}') ? { of: 'map', type: type.slice(2) } : undefined;
}

/** Cached: a file of the package does not change while a process runs, and every trial needs it. */
let ownTypes: KubeTypes | undefined;

/** Reads the types from the package's fixtures, once. They are frozen. */
export function loadKubeTypes(): KubeTypes {
  return (ownTypes ??= readTypes());
}

function readTypes(): KubeTypes {
  const text = readFileSync(join(packageRoot(), 'fixtures/data', 'kubernetes-types.json'), 'utf8');
  return new KubeTypes(deepFreeze(JSON.parse(text) as ConstructorParameters<typeof KubeTypes>[0]), loadDescriptions);
}

/** The file with the descriptions of the types, in the package. */
export const DESCRIPTIONS = 'fixtures/data/kubernetes-descriptions.json.gz';

function loadDescriptions(): Readonly<Record<string, Description>> {
  const text = gunzipSync(readFileSync(join(packageRoot(), DESCRIPTIONS))).toString();
  return deepFreeze(JSON.parse(text) as Record<string, Description>);
}

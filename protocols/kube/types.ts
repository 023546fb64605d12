import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../model/package-root.ts';

/** A field of a built-in type. */
export interface FieldType {
  /**
   * `string`, `bool`, `int32`, `int64`, `double`, `bytes`; one of the API's own scalars (`Quantity`, `IntOrString`,
   * `Time`, `MicroTime`, `FieldsV1`, `RawExtension`, `Any`); or the name of a type. A list is `[]T`, a map `{}T`.
   */
  readonly type: string;
  /** Number in protobuf; `2.4` is field 4 of the message in field 2, whose fields JSON has inlined. */
  readonly wire?: string;
  /** Go has a pointer here, or no `omitempty`: a zero that was sent in protobuf was meant. */
  readonly zero?: boolean;
  /** `patchStrategy` of its Go struct tag: `merge`, `retainKeys`, `merge,retainKeys`. */
  readonly patch?: string;
  /** `patchMergeKey` of its Go struct tag. */
  readonly key?: string;
  /** `listType` and `listMapKey`, by which server-side apply merges. */
  readonly list?: 'map' | 'set' | 'atomic';
  readonly keys?: readonly string[];
  readonly map?: 'atomic';
  /** Of a list key that may be left out. */
  readonly default?: unknown;
}

/** A built-in object type. */
export interface ObjectType {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly required?: readonly string[];
  /** Server-side apply takes it as one value. */
  readonly atomic?: boolean;
  /** Any fields. */
  readonly open?: boolean;
}

/** The types of the built-in kinds, as `fixtures/data/kubernetes-types.json` has them. */
export class KubeTypes {
  readonly #kinds: Readonly<Record<string, string>>;
  readonly #types: Readonly<Record<string, ObjectType>>;

  constructor(data: { readonly kinds: Readonly<Record<string, string>>; readonly types: Readonly<Record<string, ObjectType>> }) {
    this.#kinds = data.kinds;
    this.#types = data.types;
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

  /** All types by their names, for documents of all of them. */
  all(): [string, ObjectType][] {
    return Object.entries(this.#types);
  }

  /** The kinds whose type this is, as `apiVersion/kind`. */
  kindsOf(name: string): string[] {
    return Object.keys(this.#kinds).filter((kind) => this.#kinds[kind] === name);
  }
}

/** What a list or map is made of; undefined for anything else. */
export function elementOf(type: string): { readonly of: 'list' | 'map'; readonly type: string } | undefined {
  if (type.startsWith('[]')) return { of: 'list', type: type.slice(2) };
  return type.startsWith('{}') ? { of: 'map', type: type.slice(2) } : undefined;
}

/** Reads the types from the package's fixtures. */
export function loadKubeTypes(): KubeTypes {
  const text = readFileSync(join(packageRoot(), 'fixtures/data', 'kubernetes-types.json'), 'utf8');
  return new KubeTypes(JSON.parse(text) as ConstructorParameters<typeof KubeTypes>[0]);
}

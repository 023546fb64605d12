import { NormalizedSchema } from '@smithy/core/schema';
import type { Parameter } from './form.ts';
import { Ec2Refusal, invalidValue } from './refusal.ts';

/** A schema as the SDK exports it. */
export type SchemaRef = Parameters<typeof NormalizedSchema.of>[0];

/** Reads one value. `path` is its name on the wire, for messages. */
type Read = (parameter: Parameter, path: string) => unknown;

/** Values that the SDK's model marks as sensitive but a history needs: user data sets a node's labels and taints. */
const RECORDED_THOUGH_SENSITIVE: ReadonlySet<string> = new Set(['UserData']);

/**
 * Reads requests by the SDK's own schemas into plain JSON: timestamps stay ISO text, blobs stay base64, and sensitive members
 * are left out. Each structure is compiled once, at first use.
 */
export class FormReader {
  readonly #structures = new Map<unknown, Read>();
  readonly #lists: 'flat' | 'member';

  /** @param lists `X.1`, as EC2 has them, or `X.member.1`, as the query protocol of other services */
  constructor(lists: 'flat' | 'member' = 'flat') {
    this.#lists = lists;
  }

  /** @throws Ec2Refusal for an unknown parameter, or a value of the wrong type */
  read(schema: SchemaRef, parameters: Parameter): Record<string, unknown> {
    return this.#readerOf(NormalizedSchema.of(schema))(parameters, '') as Record<string, unknown>;
  }

  #readerOf(schema: NormalizedSchema): Read {
    if (schema.isStructSchema()) return this.#structure(schema);
    if (schema.isListSchema()) return this.#list(schema);
    if (schema.isBooleanSchema()) return readBoolean;
    if (schema.isNumericSchema() || schema.isBigIntegerSchema()) return readNumber;
    if (schema.isTimestampSchema()) return readTimestamp;
    return readText;
  }

  #structure(schema: NormalizedSchema): Read {
    const key = schema.getSchema();
    const known = this.#structures.get(key);
    if (known !== undefined) return known;
    // Members are compiled at first use: structures may contain themselves, and most are never used.
    let members: ReadonlyMap<string, { name: string; read: Read | undefined }> | undefined;
    const read: Read = (parameter, path) => {
      members ??= new Map(
        [...schema.structIterator()].map(([name, member]) => [queryName(name, member), { name, read: this.#memberReader(name, member) }]),
      );
      refuseValue(parameter, path);
      const result: Record<string, unknown> = {};
      for (const [part, child] of parameter.children) {
        const member = members.get(part);
        if (member === undefined) throw unknownParameter(join(path, part));
        if (member.read !== undefined) result[member.name] = member.read(child, join(path, part));
      }
      return result;
    };
    this.#structures.set(key, read);
    return read;
  }

  #memberReader(name: string, member: NormalizedSchema): Read | undefined {
    return isSecret(name, member) ? undefined : this.#readerOf(member);
  }

  /** The numbers of items may have gaps. */
  #list(schema: NormalizedSchema): Read {
    const read = this.#readerOf(schema.getValueSchema());
    return (parameter, path) => {
      // `X=` is an empty list.
      if (this.#lists === 'member' && parameter.value === '') return [];
      refuseValue(parameter, path);
      const { children } = this.#lists === 'flat' ? parameter : (parameter.children.get('member') ?? parameter);
      return [...children]
        .map(([part, child]) => {
          if (!/^\d{1,6}$/.test(part)) throw unknownParameter(join(path, part));
          return { index: Number(part), item: read(child, join(path, part)) };
        })
        .sort((a, b) => a.index - b.index)
        .map(({ item }) => item);
    };
  }
}

/** Whether the member is left out of what is read. */
export function isSecret(name: string, member: NormalizedSchema): boolean {
  return member.getMergedTraits().sensitive !== undefined && !RECORDED_THOUGH_SENSITIVE.has(name);
}

/** A member's name in a request. */
function queryName(name: string, member: NormalizedSchema): string {
  const { ec2QueryName, xmlName = name } = member.getMergedTraits() as { ec2QueryName?: string; xmlName?: string };
  return ec2QueryName ?? xmlName.charAt(0).toUpperCase() + xmlName.slice(1);
}

function join(path: string, part: string): string {
  return path === '' ? part : `${path}.${part}`;
}

function unknownParameter(path: string): Ec2Refusal {
  return new Ec2Refusal('UnknownParameter', `The parameter ${path} is not recognized`);
}

/** A structure or list has no value of its own. Ignoring one would execute a different request than was sent. */
function refuseValue({ value }: Parameter, path: string): void {
  if (value !== undefined) throw unknownParameter(path);
}

function readText(parameter: Parameter, path: string): string {
  if (parameter.value === undefined) throw unknownParameter(`${path}.${[...parameter.children.keys()].join()}`);
  return parameter.value;
}

function readBoolean(parameter: Parameter, path: string): boolean {
  const text = readText(parameter, path).toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidValue(`Invalid value '${text}' for ${path}: it must be true or false`);
  return text === 'true';
}

function readNumber(parameter: Parameter, path: string): number {
  const text = readText(parameter, path);
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw invalidValue(`Invalid value '${text}' for ${path}: it must be a number`);
  return number;
}

function readTimestamp(parameter: Parameter, path: string): string {
  const text = readText(parameter, path);
  if (Number.isNaN(Date.parse(text))) throw invalidValue(`Invalid value '${text}' for ${path}: it must be a time`);
  return text;
}

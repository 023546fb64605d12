import { ProtobufError, readFields } from './protobuf-reader.ts';
import type { WireField } from './protobuf-reader.ts';
import { MAGIC, MESSAGE_SCHEMA, SCHEMA_FORMS, Layouts, isNested } from './protobuf-layout.ts';
import type { Layout } from './protobuf-layout.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes, ObjectType } from './types.ts';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body in the protobuf of `k8s.io/apimachinery/pkg/runtime/serializer/protobuf`: an envelope
 * (`runtime.Unknown`) with an object of a built-in kind.
 * @returns the object as Go would write it in JSON: without the zeros that `omitempty` drops
 * @throws ProtobufError for a malformed body or an unknown kind
 */
export function decodeProtobuf(body: Uint8Array, types: KubeTypes): Record<string, unknown> {
  if (!isProtobuf(body)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const envelope = readFields(body.subarray(MAGIC.length));
  const typeMeta = readFields(bytesOf(last(envelope, 1)));
  const apiVersion = textOf(last(typeMeta, 1));
  const kind = textOf(last(typeMeta, 2));
  const name = types.nameOf(apiVersion, kind) ?? nameOfOther(apiVersion, kind);
  const type = types.find(name);
  if (type === undefined)
    throw new ProtobufError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { kind, apiVersion, ...new Decoder(types).message(bytesOf(last(envelope, 2)), name, type) };
}

/** Whether a body begins as one in protobuf. */
export function isProtobuf(body: Uint8Array): boolean {
  return MAGIC.every((byte, index) => body[index] === byte);
}

/** DeleteOptions are sent under any group's version. Evictions had another one, with the same fields, which clients may still send. */
function nameOfOther(apiVersion: string, kind: string): string {
  if (apiVersion === 'policy/v1beta1' && kind === 'Eviction') return 'policy.v1.Eviction';
  return kind === 'DeleteOptions' ? 'meta.v1.DeleteOptions' : '';
}

class Decoder {
  readonly #types: KubeTypes;
  readonly #layouts = new Layouts();

  constructor(types: KubeTypes) {
    this.#types = types;
  }

  message(bytes: Uint8Array, name: string, type: ObjectType): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.#fill(result, bytes, this.#layouts.of(name, type));
    return result;
  }

  #fill(result: Record<string, unknown>, bytes: Uint8Array, layout: Layout): void {
    for (const field of readFields(bytes)) {
      const entry = layout.get(field.number);
      if (entry === undefined) continue; // A field of another release.
      if (isNested(entry)) this.#fill(result, bytesOf(field), entry);
      else this.#set(result, entry[0], entry[1], field);
    }
  }

  #set(result: Record<string, unknown>, name: string, { type, zero, schemaOr }: FieldType, field: WireField): void {
    const element = elementOf(type);
    if (element?.of === 'list') {
      const list = (result[name] ??= []) as unknown[];
      list.push(...unpack(field, element.type).map((one) => this.#value(one, element.type)));
    } else if (element?.of === 'map') {
      const map = (result[name] ??= {}) as Record<string, unknown>;
      const entry = readFields(bytesOf(field));
      const value = this.#value(last(entry, 2) ?? { number: 2, value: new Uint8Array() }, element.type, schemaOr);
      Object.defineProperty(map, textOf(last(entry, 1)), { value, writable: true, enumerable: true, configurable: true });
    } else {
      const value = this.#value(field, type, schemaOr);
      const isZero = type !== 'IntOrString' && (value === '' || value === 0 || value === false);
      const isMissing = value === undefined || (isZero && zero !== true);
      if (!isMissing) result[name] = value;
    }
  }

  #value(field: WireField, type: string, schemaOr?: FieldType['schemaOr']): unknown {
    if (schemaOr !== undefined) return this.#schemaOr(bytesOf(field), schemaOr);
    if (type.startsWith('[]')) return readFields(bytesOf(field)).map((item) => this.#value(item, type.slice(2)));
    switch (type) {
      case 'string':
        return textOf(field);
      case 'bool':
        return field.value !== 0n;
      case 'int32':
      case 'int64':
        return intOf(field);
      case 'double': {
        const bytes = bytesOf(field);
        return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
      }
      case 'bytes':
        return Buffer.from(bytesOf(field)).toString('base64');
      case 'Quantity':
        return textOf(last(readFields(bytesOf(field)), 1));
      case 'IntOrString':
        return intOrString(bytesOf(field));
      case 'Time':
      case 'MicroTime':
        return timeOf(bytesOf(field), type === 'MicroTime');
      case 'FieldsV1':
      case 'RawExtension':
      case 'Any':
        return jsonOf(last(readFields(bytesOf(field)), 1));
      default: {
        const object = this.#types.find(type);
        if (object === undefined) throw new ProtobufError(`the type ${type} is not known`);
        return this.message(bytesOf(field), type, object);
      }
    }
  }

  /** A schema, or the other form that stands for one. */
  #schemaOr(bytes: Uint8Array, other: keyof typeof SCHEMA_FORMS): unknown {
    const numbers = SCHEMA_FORMS[other];
    const fields = readFields(bytes);
    const schema = last(fields, numbers.schema);
    if (schema !== undefined) return this.#value(schema, MESSAGE_SCHEMA);
    const values = fields.filter(({ number }) => number === numbers.other).map((field) => this.#value(field, numbers.type));
    return other === 'bool' ? values.at(-1) === true : values;
  }
}

/** The numbers of a list may be packed into one field. */
function unpack(field: WireField, type: string): WireField[] {
  const isPacked = ['bool', 'int32', 'int64'].includes(type) && field.value instanceof Uint8Array;
  if (!isPacked) return [field];
  const numbers: WireField[] = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of bytesOf(field)) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    numbers.push({ number: field.number, value });
    value = 0n;
    shift = 0n;
  }
  return numbers;
}

function last(fields: readonly WireField[], number: number): WireField | undefined {
  return fields.findLast((field) => field.number === number);
}

function bytesOf(field: WireField | undefined): Uint8Array {
  if (field === undefined) return new Uint8Array();
  if (typeof field.value === 'bigint') throw new ProtobufError(`proto: wrong wireType = 0 for field ${field.number}`);
  return field.value;
}

function textOf(field: WireField | undefined): string {
  return utf8.decode(bytesOf(field));
}

/** @returns undefined if the field is missing */
function intOf(field: WireField | undefined): number | undefined {
  if (field === undefined) return undefined;
  if (typeof field.value !== 'bigint') throw new ProtobufError(`proto: wrong wireType = 2 for field ${field.number}`);
  return Number(BigInt.asIntN(64, field.value));
}

function intOrString(bytes: Uint8Array): number | string {
  const fields = readFields(bytes);
  return intOf(last(fields, 1)) === 1 ? textOf(last(fields, 3)) : (intOf(last(fields, 2)) ?? 0);
}

/** RFC 3339, with microseconds for a MicroTime; undefined for the zero time, which is sent as no fields at all. */
function timeOf(bytes: Uint8Array, isMicro: boolean): string | undefined {
  if (bytes.length === 0) return undefined;
  const fields = readFields(bytes);
  const seconds = new Date((intOf(last(fields, 1)) ?? 0) * 1000).toISOString().slice(0, 19);
  const micros = Math.floor((intOf(last(fields, 2)) ?? 0) / 1000);
  return isMicro ? `${seconds}.${String(micros).padStart(6, '0')}Z` : `${seconds}Z`;
}

function jsonOf(field: WireField | undefined): unknown {
  try {
    return field === undefined ? undefined : JSON.parse(textOf(field));
  } catch {
    throw new ProtobufError('the raw JSON in the message is not valid');
  }
}

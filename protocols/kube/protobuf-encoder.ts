import { isJsonObject } from './json.ts';
import { MAGIC, MESSAGE_SCHEMA, SCHEMA_FORMS, Layouts, isNested } from './protobuf-layout.ts';
import type { Layout } from './protobuf-layout.ts';
import { joined, writeBytes, writeDouble, writeField, writeInt } from './protobuf-writer.ts';
import type { Parts } from './protobuf-writer.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes } from './types.ts';

/** Where the metadata of a list and its items are, in the message of any list. */
const LIST = { metadata: 1, items: 2 };
/** Objects reduced to their metadata are known in any version of their group. */
const PARTIAL = 'PartialObjectMetadata';

/**
 * Writes answers in the protobuf of `k8s.io/apimachinery/pkg/runtime/serializer/protobuf`: the inverse of `decodeProtobuf`.
 * Written is what the JSON has: a field that Go writes although it is empty is left out, and reads the same.
 */
export class ProtobufEncoder {
  readonly #types: KubeTypes;
  readonly #layouts = new Layouts();

  constructor(types: KubeTypes) {
    this.#types = types;
  }

  /**
   * An object or a list in its envelope (`runtime.Unknown`).
   * @param object as in JSON
   * @returns undefined if its kind has no protobuf: custom resources, tables
   */
  encode(object: Readonly<Record<string, unknown>>): Uint8Array | undefined {
    const { kind, apiVersion = '' } = object;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined;
    const message = this.#root(object, apiVersion, kind);
    if (message === undefined) return undefined;
    const type = [writeField(1, apiVersion), writeField(2, kind)];
    return joined([Uint8Array.from(MAGIC), writeField(1, type), writeField(2, message), writeField(3, ''), writeField(4, '')]);
  }

  /**
   * One event of a watch, with its length before it, as in a body of type `application/vnd.kubernetes.protobuf;stream=watch`.
   * @returns undefined if its object's kind has no protobuf
   */
  encodeEvent(type: string, object: Readonly<Record<string, unknown>>): Uint8Array | undefined {
    const raw = this.encode(object);
    if (raw === undefined) return undefined;
    const event = joined([writeField(1, type), writeField(2, [writeBytes(1, raw)])]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  }

  #root(object: Readonly<Record<string, unknown>>, apiVersion: string, kind: string): Parts | undefined {
    // The list of the API's versions is written without its own version.
    const name = this.#types.nameOf(apiVersion === '' ? 'v1' : apiVersion, kind);
    if (name !== undefined) return this.#message(object, name);
    if (kind === PARTIAL) return this.#partial(object);
    if (!kind.endsWith('List')) return undefined;
    const item = kind.slice(0, -'List'.length);
    const itemName = this.#types.nameOf(apiVersion, item);
    if (itemName === undefined && item !== PARTIAL) return undefined;
    const items = Array.isArray(object['items']) ? (object['items'] as readonly unknown[]) : [];
    return [
      writeField(LIST.metadata, this.#message(object['metadata'], 'meta.v1.ListMeta')),
      ...items.map((one) => writeField(LIST.items, itemName === undefined ? this.#partial(one) : this.#message(one, itemName))),
    ];
  }

  #partial(object: unknown): Parts {
    return [writeField(1, this.#message(isJsonObject(object) ? object['metadata'] : {}, 'meta.v1.ObjectMeta'))];
  }

  #message(object: unknown, name: string): Parts {
    const type = this.#types.find(name);
    if (type === undefined || !isJsonObject(object)) return [];
    return this.#fields(object, this.#layouts.of(name, type));
  }

  #fields(object: Readonly<Record<string, unknown>>, layout: Layout): Parts {
    const parts: Parts[] = [];
    for (const [number, entry] of layout) {
      if (isNested(entry)) {
        const inlined = this.#fields(object, entry);
        if (inlined.length > 0) parts.push(writeField(number, inlined));
      } else {
        const [name, field] = entry;
        const value = Object.hasOwn(object, name) ? object[name] : undefined;
        if (value !== undefined && value !== null) parts.push(this.#field(number, value, field));
      }
    }
    return parts;
  }

  #field(number: number, value: unknown, { type, schemaOr }: FieldType): Parts {
    const element = elementOf(type);
    if (element?.of === 'list') return (value as readonly unknown[]).map((one) => this.#value(number, one, element.type));
    if (element?.of !== 'map') return [this.#value(number, value, type, schemaOr)];
    // Go writes maps in the order of their keys.
    const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)) as [string, unknown][];
    return entries.map(([key, one]) => writeField(number, [writeField(1, key), this.#value(2, one, element.type, schemaOr)]));
  }

  #value(number: number, value: unknown, type: string, schemaOr?: FieldType['schemaOr']): Parts {
    if (schemaOr !== undefined) return writeField(number, this.#schemaOr(value, schemaOr));
    if (type.startsWith('[]')) {
      const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
      return writeField(
        number,
        items.map((one) => this.#value(1, one, type.slice(2))),
      );
    }
    switch (type) {
      case 'string':
        return writeField(number, String(value));
      case 'bool':
        return writeInt(number, value === true ? 1 : 0);
      case 'int32':
      case 'int64':
        return writeInt(number, Number(value));
      case 'double':
        return writeDouble(number, Number(value));
      case 'bytes':
        return writeBytes(number, Buffer.from(String(value), 'base64'));
      case 'Quantity':
        return writeField(number, [writeField(1, String(value))]);
      case 'IntOrString':
        return writeField(number, intOrString(value));
      case 'Time':
      case 'MicroTime':
        return writeField(number, timeParts(String(value), type === 'MicroTime'));
      case 'FieldsV1':
      case 'RawExtension':
      case 'Any':
        return writeField(number, [writeField(1, JSON.stringify(value))]);
      default:
        return writeField(number, this.#message(value, type));
    }
  }

  #schemaOr(value: unknown, other: keyof typeof SCHEMA_FORMS): Parts {
    const numbers = SCHEMA_FORMS[other];
    if (isJsonObject(value)) {
      const schema = this.#value(numbers.schema, value, MESSAGE_SCHEMA);
      // A schema allows values, as Go reads it.
      return other === 'bool' ? [writeInt(numbers.other, 1), schema] : [schema];
    }
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return values.map((one) => this.#value(numbers.other, one, numbers.type));
  }
}

/** `type` is 1 for a string. */
function intOrString(value: unknown): Parts {
  const isText = typeof value === 'string';
  return [writeInt(1, isText ? 1 : 0), writeInt(2, isText ? 0 : Number(value)), writeField(3, isText ? value : '')];
}

/** Seconds and nanoseconds, of which a Time keeps none. */
function timeParts(text: string, isMicro: boolean): Parts {
  const seconds = Math.floor(Date.parse(text) / 1000);
  const fraction = /\.(\d{1,6})/.exec(text)?.[1] ?? '';
  return [writeInt(1, seconds), writeInt(2, isMicro ? Number(fraction.padEnd(6, '0')) * 1000 : 0)];
}

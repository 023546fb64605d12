import { isJsonObject } from './json.ts';
import { ProtobufBuffer } from './protobuf-buffer.ts';
import { MAGIC, MESSAGE_SCHEMA, SCHEMA_FORMS, Layouts, isNested } from './protobuf-layout.ts';
import type { Layout } from './protobuf-layout.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes } from './types.ts';

/** Where the metadata of a list and its items are, in the message of any list. */
const LIST = { metadata: 1, items: 2 };
/** Objects reduced to their metadata are known in any version of their group. */
const PARTIAL = 'PartialObjectMetadata';

/** The fields of a message from the last to the first, as they are written. */
type Backwards = readonly (BackwardsField | { readonly number: number; readonly inlined: Backwards })[];

interface BackwardsField extends FieldType {
  readonly number: number;
  readonly name: string;
  readonly element: ReturnType<typeof elementOf>;
}

/**
 * Writes answers in the protobuf of `k8s.io/apimachinery/pkg/runtime/serializer/protobuf`: the inverse of `decodeProtobuf`.
 * Written is what the JSON has: a field that Go writes although it is empty is left out, and reads the same. As in Go's own code,
 * everything is written from its end.
 */
export class ProtobufEncoder {
  readonly #types: KubeTypes;
  readonly #layouts = new Layouts();
  readonly #backwards = new Map<string, Backwards>();

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
    const out = new ProtobufBuffer();
    out.text(4, '');
    out.text(3, '');
    const afterMessage = out.length;
    if (!this.#root(out, object, apiVersion, kind)) return undefined;
    out.close(2, afterMessage);
    const afterType = out.length;
    out.text(2, kind);
    out.text(1, apiVersion);
    out.close(1, afterType);
    out.raw(MAGIC);
    return out.take();
  }

  /**
   * One event of a watch, with its length before it, as in a body of type `application/vnd.kubernetes.protobuf;stream=watch`.
   * @returns undefined if its object's kind has no protobuf
   */
  encodeEvent(type: string, object: Readonly<Record<string, unknown>>): Uint8Array | undefined {
    const raw = this.encode(object);
    if (raw === undefined) return undefined;
    const out = new ProtobufBuffer();
    out.bytes(1, raw);
    out.close(2, 0);
    out.text(1, type);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(out.length);
    out.raw(length);
    return out.take();
  }

  /** @returns whether the kind has a message */
  #root(out: ProtobufBuffer, object: Readonly<Record<string, unknown>>, apiVersion: string, kind: string): boolean {
    // The list of the API's versions is written without its own version.
    const name = this.#types.nameOf(apiVersion === '' ? 'v1' : apiVersion, kind);
    if (name !== undefined) {
      this.#message(out, object, name);
      return true;
    }
    if (kind === PARTIAL) {
      this.#partial(out, object);
      return true;
    }
    if (!kind.endsWith('List')) return false;
    const item = kind.slice(0, -'List'.length);
    const itemName = this.#types.nameOf(apiVersion, item);
    if (itemName === undefined && item !== PARTIAL) return false;
    for (const one of backwards(object['items'])) {
      const after = out.length;
      if (itemName === undefined) this.#partial(out, one);
      else this.#message(out, one, itemName);
      out.close(LIST.items, after);
    }
    const after = out.length;
    this.#message(out, object['metadata'], 'meta.v1.ListMeta');
    out.close(LIST.metadata, after);
    return true;
  }

  #partial(out: ProtobufBuffer, object: unknown): void {
    const after = out.length;
    this.#message(out, isJsonObject(object) ? object['metadata'] : {}, 'meta.v1.ObjectMeta');
    out.close(1, after);
  }

  #message(out: ProtobufBuffer, object: unknown, name: string): void {
    if (isJsonObject(object)) this.#fields(out, object, this.#fieldsOf(name));
  }

  #fieldsOf(name: string): Backwards {
    let fields = this.#backwards.get(name);
    if (fields === undefined) {
      const type = this.#types.find(name);
      fields = type === undefined ? [] : backwardsOf(this.#layouts.of(name, type));
      this.#backwards.set(name, fields);
    }
    return fields;
  }

  #fields(out: ProtobufBuffer, object: Readonly<Record<string, unknown>>, fields: Backwards): void {
    for (const field of fields) {
      if ('inlined' in field) {
        const after = out.length;
        this.#fields(out, object, field.inlined);
        if (out.length > after) out.close(field.number, after);
      } else {
        const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
        if (value !== undefined && value !== null) this.#field(out, value, field);
      }
    }
  }

  #field(out: ProtobufBuffer, value: unknown, { number, type, element, schemaOr }: BackwardsField): void {
    if (element === undefined) {
      this.#value(out, number, value, type, schemaOr);
    } else if (element.of === 'list') {
      for (const one of backwards(value)) this.#value(out, number, one, element.type);
    } else {
      // Go writes maps in the order of their keys.
      const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)) as [string, unknown][];
      for (const [key, one] of entries.reverse()) {
        const after = out.length;
        this.#value(out, 2, one, element.type, schemaOr);
        out.text(1, key);
        out.close(number, after);
      }
    }
  }

  #value(out: ProtobufBuffer, number: number, value: unknown, type: string, schemaOr?: FieldType['schemaOr']): void {
    const after = out.length;
    if (schemaOr !== undefined) {
      this.#schemaOr(out, value, schemaOr);
      out.close(number, after);
      return;
    }
    switch (type) {
      case 'string':
        out.text(number, String(value));
        return;
      case 'bool':
        out.int(number, value === true ? 1 : 0);
        return;
      case 'int32':
      case 'int64':
        out.int(number, Number(value));
        return;
      case 'double':
        out.double(number, Number(value));
        return;
      case 'bytes':
        out.bytes(number, Buffer.from(String(value), 'base64'));
        return;
      case 'Quantity':
        out.text(1, String(value));
        break;
      case 'IntOrString':
        writeIntOrString(out, value);
        break;
      case 'Time':
      case 'MicroTime':
        writeTime(out, String(value), type === 'MicroTime');
        break;
      case 'FieldsV1':
      case 'RawExtension':
      case 'Any':
        out.text(1, JSON.stringify(value));
        break;
      default:
        if (type.startsWith('[]')) for (const one of backwards(value)) this.#value(out, 1, one, type.slice(2));
        else this.#message(out, value, type);
    }
    out.close(number, after);
  }

  #schemaOr(out: ProtobufBuffer, value: unknown, other: keyof typeof SCHEMA_FORMS): void {
    const numbers = SCHEMA_FORMS[other];
    if (isJsonObject(value)) {
      this.#value(out, numbers.schema, value, MESSAGE_SCHEMA);
      // A schema allows values, as Go reads it.
      if (other === 'bool') out.int(numbers.other, 1);
    } else {
      for (const one of backwards(Array.isArray(value) ? value : [value])) this.#value(out, numbers.other, one, numbers.type);
    }
  }
}

function backwardsOf(layout: Layout): Backwards {
  return [...layout].reverse().map(([number, entry]) => {
    if (isNested(entry)) return { number, inlined: backwardsOf(entry) };
    const [name, field] = entry;
    return { ...field, number, name, element: elementOf(field.type) };
  });
}

/** The items of a list from the last to the first; none if it is no list. */
function* backwards(value: unknown): Generator<unknown, void, undefined> {
  if (!Array.isArray(value)) return;
  for (let at = value.length - 1; at >= 0; at -= 1) yield (value as readonly unknown[])[at];
}

/** `type` is 1 for a string. */
function writeIntOrString(out: ProtobufBuffer, value: unknown): void {
  const isText = typeof value === 'string';
  out.text(3, isText ? value : '');
  out.int(2, isText ? 0 : Number(value));
  out.int(1, isText ? 1 : 0);
}

/** Seconds and nanoseconds, of which a Time keeps none. */
function writeTime(out: ProtobufBuffer, text: string, isMicro: boolean): void {
  const fraction = /\.(\d{1,6})/.exec(text)?.[1] ?? '';
  out.int(2, isMicro ? Number(fraction.padEnd(6, '0')) * 1000 : 0);
  out.int(1, Math.floor(Date.parse(text) / 1000));
}

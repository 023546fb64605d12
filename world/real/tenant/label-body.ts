import { isJsonObject } from '../../../protocols/kube/json.ts';
import { readMediaType } from '../../../protocols/kube/accept.ts';
import { decodeBody } from '../../../protocols/kube/body.ts';
import { PROTOBUF_TYPE } from '../../../protocols/kube/protobuf.ts';
import { joined, writeField } from '../../../protocols/kube/protobuf-writer.ts';
import type { Parts } from '../../../protocols/kube/protobuf-writer.ts';
import { asText } from '../../../wire/wire.ts';
import type { Bytes } from '../../../wire/wire.ts';

type Labels = Readonly<Record<string, string>>;

/** `k8s` and a zero byte. Source: apimachinery `pkg/runtime/serializer/protobuf/protobuf.go`. */
const MAGIC_BYTES = 4;
/** `runtime.Unknown`. Source: apimachinery `pkg/runtime/generated.proto`. */
const ENVELOPE = { typeMeta: 1, raw: 2 } as const;
/** Every kind with metadata has it in its first field. Source: `generated.proto` of each group. */
const METADATA = 1;
/** `ObjectMeta.labels`. Source: apimachinery `pkg/apis/meta/v1/generated.proto`. */
const LABELS = 11;

/**
 * A body with these labels on its object: JSON, YAML (both become JSON, which is also YAML) or protobuf. Other fields are
 * unchanged.
 * @returns undefined if it can't be parsed, or has no metadata: the server refuses it just as without labels
 */
export function labelBody(body: Bytes, contentType: string | undefined, labels: Labels): Bytes | undefined {
  const { type } = readMediaType(contentType ?? '');
  try {
    return type === PROTOBUF_TYPE ? labelProtobuf(body, labels) : labelText(asText(body), type, labels);
  } catch {
    return undefined;
  }
}

function labelText(text: string, type: string, labels: Labels): string | undefined {
  const object = decodeBody(text, type, undefined);
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) return undefined;
  const { metadata } = object;
  const before = isJsonObject(metadata.labels) ? metadata.labels : {};
  return JSON.stringify({ ...object, metadata: { ...metadata, labels: { ...before, ...labels } } });
}

/** If a map has several entries with the same key, the last counts, so an entry appended to the metadata wins. */
function labelProtobuf(body: Bytes, labels: Labels): Uint8Array | undefined {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const typeMeta = splitFirst(bytes.subarray(MAGIC_BYTES), ENVELOPE.typeMeta);
  const raw = typeMeta && splitFirst(typeMeta.rest, ENVELOPE.raw);
  const metadata = raw && splitFirst(raw.value, METADATA);
  if (typeMeta === undefined || raw === undefined || metadata === undefined) return undefined;
  const added = Object.entries(labels).map(([key, value]) => writeField(LABELS, [writeField(1, key), writeField(2, value)]));
  const object: Parts = [writeField(METADATA, [metadata.value, added]), metadata.rest];
  return joined([
    bytes.subarray(0, MAGIC_BYTES),
    writeField(ENVELOPE.typeMeta, [typeMeta.value]),
    writeField(ENVELOPE.raw, object),
    raw.rest,
  ]);
}

/** The first field of a message, itself a message, and the rest: Go writes fields in the order of their numbers. */
function splitFirst(bytes: Uint8Array, number: number): { readonly value: Uint8Array; readonly rest: Uint8Array } | undefined {
  if (bytes[0] !== number * 8 + 2) return undefined;
  let length = 0;
  let at = 1;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    at += 1;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return at + length > bytes.length ? undefined : { value: bytes.subarray(at, at + length), rest: bytes.subarray(at + length) };
}

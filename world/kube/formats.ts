import { stringify } from 'yaml';
import { contentTypeOf } from '../../protocols/kube/accept.ts';
import type { Format } from '../../protocols/kube/accept.ts';
import { JSON_TYPE } from '../../protocols/kube/body.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { ProtobufEncoder } from '../../protocols/kube/protobuf-encoder.ts';
import { asText, isStream } from '../../wire/wire.ts';
import type { Bytes, WireResponse } from '../../wire/wire.ts';

/** An answer in JSON, in another format; the same answer if its content is not JSON or has no such format. */
export function inFormat<Reply extends WireResponse>(reply: Reply, format: Format, encoder: ProtobufEncoder): Reply {
  if (format === 'json' || reply.headers['content-type'] !== JSON_TYPE) return reply;
  const { body } = reply;
  if (isStream(body)) {
    // Negotiation has refused a watch in YAML.
    return typed(reply, `${contentTypeOf(format)};stream=watch`, framed(body, encoder));
  }
  const object = JSON.parse(asText(body)) as JsonObject;
  const written = format === 'yaml' ? yamlOf(object) : encoder.encode(object);
  return written === undefined ? reply : typed(reply, contentTypeOf(format), written);
}

function typed<Reply extends WireResponse>(reply: Reply, contentType: string, body: WireResponse['body']): Reply {
  return { ...reply, headers: { ...reply.headers, 'content-type': contentType }, body };
}

/** With sorted keys, and texts quoted that an older parser would take for something else. */
function yamlOf(object: JsonObject): string {
  return stringify(object, { sortMapEntries: true, version: '1.1', aliasDuplicateObjects: false });
}

/** The lines of a watch in JSON, one event each, as frames in protobuf. */
async function* framed(lines: AsyncIterable<Bytes>, encoder: ProtobufEncoder): AsyncIterable<Bytes> {
  for await (const line of lines) {
    const { type, object } = JSON.parse(asText(line)) as { readonly type: string; readonly object: JsonObject };
    const frame = encoder.encodeEvent(type, object);
    if (frame === undefined) throw new Error(`the kind ${String(object['kind'])} has no protobuf`);
    yield frame;
  }
}

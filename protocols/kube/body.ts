import { parse } from 'yaml';
import { readMediaType } from './accept.ts';
import { PROTOBUF_TYPE, decodeProtobuf } from './protobuf.ts';
import type { KubeTypes } from './types.ts';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_TYPE = 'application/apply-patch+yaml';

const utf8 = new TextDecoder();

/**
 * Decodes a body by its content type: protobuf, YAML, else JSON.
 * @throws Error if it can't be decoded
 */
export function decodeBody(body: string | Uint8Array, contentType: string | undefined, types: KubeTypes | undefined): unknown {
  const { type } = readMediaType(contentType ?? '');
  if (type === PROTOBUF_TYPE && types !== undefined) {
    return decodeProtobuf(typeof body === 'string' ? new TextEncoder().encode(body) : body, types);
  }
  const text = typeof body === 'string' ? body : utf8.decode(body);
  // Most bodies sent as YAML are JSON, which is parsed much faster.
  const isYaml = (type === YAML_TYPE || type === APPLY_TYPE) && !text.trimStart().startsWith('{');
  // Of a key that occurs twice, the last one counts. Field validation reports it.
  return isYaml ? parse(text, { uniqueKeys: false }) : JSON.parse(text);
}

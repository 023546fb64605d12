import { YAMLParseError, parse } from 'yaml';
import { readMediaType } from './accept.ts';
import { MAX_DEPTH, depthProblem } from './json-syntax.ts';
import { PROTOBUF_TYPE, decodeProtobuf } from './protobuf.ts';
import { ProtobufError } from './protobuf-reader.ts';
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
    const value = decodeProtobuf(typeof body === 'string' ? new TextEncoder().encode(body) : body, types);
    // It may contain JSON as text, and types that contain themselves.
    const problem = body.length > MAX_DEPTH ? depthProblem(value) : undefined;
    if (problem === undefined) return value;
    throw new ProtobufError(problem);
  }
  const text = typeof body === 'string' ? body : utf8.decode(body);
  // Most bodies sent as YAML are JSON, which is parsed much faster.
  const isYaml = (type === YAML_TYPE || type === APPLY_TYPE) && !text.trimStart().startsWith('{');
  const value: unknown = isYaml ? decodeYaml(text) : JSON.parse(text);
  // Each level takes a character at least.
  const problem = text.length > MAX_DEPTH ? depthProblem(value) : undefined;
  if (problem === undefined) return value;
  throw type === YAML_TYPE || type === APPLY_TYPE ? new Error(TOO_DEEP_YAML) : new SyntaxError(problem);
}

const TOO_DEEP_YAML = `yaml: exceeded max depth of ${MAX_DEPTH}`;

/** Of a key that occurs twice, the last one counts, as in JSON. Field validation reports it. */
function decodeYaml(text: string): unknown {
  try {
    return parse(text, { uniqueKeys: false });
  } catch (error) {
    throw error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION' ? new Error(TOO_DEEP_YAML) : error;
  }
}

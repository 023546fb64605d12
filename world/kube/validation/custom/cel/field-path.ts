import { isObject } from '../schema.ts';
import type { Schema } from '../schema.ts';

const STEP = /^(?:\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\])/;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' };

/**
 * The `fieldPath` of a rule, such as `.spec['foo.bar'].x`, in the format of errors: fields and map keys, no list items.
 * @returns undefined if it is not a field of the schema
 */
export function readFieldPath(text: string, schema: Schema): string | undefined {
  let rest = text;
  let current: Schema = schema;
  let path = '';
  while (rest !== '') {
    const step = STEP.exec(rest);
    if (step === null) return undefined;
    const key = step[1] ?? unescaped(step[2] ?? '');
    if (key === undefined) return undefined;
    const { properties, additionalProperties } = current;
    const below: Schema | undefined =
      properties === undefined ? (isObject(additionalProperties) ? additionalProperties : undefined) : properties[key];
    if (below === undefined) return undefined;
    current = below;
    path += properties === undefined ? `[${key}]` : `${path === '' ? '' : '.'}${key}`;
    rest = rest.slice(step[0].length);
  }
  return path;
}

function unescaped(text: string): string | undefined {
  let valid = true;
  const plain = text.replaceAll(/\\(.)/g, (_, character: string) => {
    valid &&= ESCAPES[character] !== undefined;
    return ESCAPES[character] ?? '';
  });
  return valid ? plain : undefined;
}

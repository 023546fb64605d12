import { elementPath, formatPath } from './field-set.ts';
import { formatGo, isJsonObject } from './json.ts';
import type { TypedSchema } from './typed-schema.ts';

/**
 * The problems of an applied configuration, with the messages of `structured-merge-diff` (`typed/validate.go`), each with its
 * path: `.data.a: expected string, got ...`. As there, only the first of a map's unknown fields is reported.
 */
export function typedProblems(value: unknown, schema: TypedSchema, path = ''): string[] {
  if (value === null || value === undefined) return [];
  const at = (why: string): string[] => [`${path}: ${why}`];
  switch (schema.kind) {
    case 'any':
      return [];
    case 'scalar':
      return scalarProblem(value, schema.of).flatMap(at);
    case 'list':
      return Array.isArray(value) ? listProblems(value, schema, path) : at(`expected list, got ${pointer(value)}`);
    case 'map': {
      if (!isJsonObject(value)) return at(`expected map, got ${pointer(value)}`);
      const problems: string[] = [];
      for (const [key, part] of Object.entries(value)) {
        const field = schema.field(key);
        if (field === undefined) return [...problems, `${path}.${key}: field not declared in schema`];
        problems.push(...typedProblems(part, field, `${path}.${key}`));
      }
      return problems;
    }
  }
}

/** One problem as is, several with one line each (`typed.ValidationErrors`). */
export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? problems.join('') : `errors:\n${problems.map((one) => `  ${one}`).join('\n')}`;
}

function listProblems(list: readonly unknown[], { keys, element }: TypedSchema & { kind: 'list' }, path: string): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let at = `[${index}]`;
    if (keys !== undefined) {
      const why = keyProblem(item, keys);
      if (why !== undefined) return [...problems, `${path}: element ${index}: ${why}`];
      at = formatPath(Object.keys(keys).length === 0 ? `v:${JSON.stringify(item)}` : elementPath('', item, keys));
      if (seen.has(at)) problems.push(`${path}: duplicate entries for key ${at}`);
      seen.add(at);
    }
    problems.push(...typedProblems(item, element, path + at));
  }
  return problems;
}

/** Why an element of a list has no valid key. */
function keyProblem(item: unknown, keys: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(keys);
  if (names.length === 0) {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
    return isJsonObject(item) ? "associative list without keys has an element that's a map type" : undefined;
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements';
  if (names.some((name) => item[name] !== undefined || keys[name] !== undefined)) return undefined;
  const list = `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
  return `associative list with keys has an element that omits all key fields ${list} (and doesn't have default values for any key fields)`;
}

function scalarProblem(value: unknown, of: 'numeric' | 'string' | 'boolean' | 'untyped'): string[] {
  const type = Array.isArray(value) ? '[]interface {}' : isJsonObject(value) ? 'map[string]interface {}' : typeof value;
  switch (of) {
    case 'numeric':
      return type === 'number' ? [] : [`expected numeric (int or float), got ${type === 'boolean' ? 'bool' : type}`];
    case 'string':
      return type === 'string' ? [] : [`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case 'boolean':
      return type === 'boolean' ? [] : [`expected boolean, got ${pointer(value)}`];
    case 'untyped':
      return type.includes('interface') ? [`expected any scalar, got ${pointer(value)}`] : [];
  }
}

/** A pointer to a value, as Go prints it. */
function pointer(value: unknown): string {
  return `&{${formatGo(value)}}`;
}

/** A value in Go syntax (`%#v`). */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${pairs.map(([key, part]) => `${JSON.stringify(key)}:${goSyntax(part)}`).join(', ')}}`;
}

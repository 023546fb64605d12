import { LineCounter, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Node } from 'yaml';
import { elementOf } from './types.ts';
import type { KubeTypes, ObjectType } from './types.ts';

/** Most errors that Go's strict decoder collects. */
const MAX_PROBLEMS = 100;

/** Whether a JSON text may have a field twice. A cheap test, which most texts pass: they are written as `JSON.stringify` does. */
export function mayHaveDuplicates(text: string, value: unknown): boolean {
  return JSON.stringify(value) !== text.trim();
}

/**
 * What the strict decoder of `sigs.k8s.io/json` reports about a JSON text, in order: fields that occur twice in an object, and fields
 * that the type does not have.
 * @param type without a type, objects may have any fields
 */
export function jsonProblems(text: string, type: string | undefined, types: Pick<KubeTypes, 'find'>): string[] {
  const problems = new Set<string>();
  const { contents } = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  walk(contents, type, '', types, (what, path) => problems.add(`${what} field ${JSON.stringify(path)}`));
  return [...problems].slice(0, MAX_PROBLEMS);
}

type Report = (what: 'duplicate' | 'unknown', path: string) => void;

/** @param type undefined for a value of any type */
function walk(node: unknown, type: string | undefined, path: string, types: Pick<KubeTypes, 'find'>, report: Report): void {
  const element = type === undefined ? { of: 'any', type: undefined } : elementOf(type);
  if (isSeq(node)) {
    if (element === undefined || element.of === 'map') return;
    for (const [index, item] of node.items.entries()) walk(item, element.type, `${path}[${index}]`, types, report);
  }
  if (!isMap(node)) return;
  const known: ObjectType | undefined = element === undefined && type !== undefined ? types.find(type) : undefined;
  // Values that decode themselves are not looked into.
  if (element === undefined && (known === undefined || known.open === true)) return;
  const seen = new Set<string>();
  for (const { key: keyNode, value } of node.items) {
    const key = String(isScalar(keyNode) ? keyNode.value : keyNode);
    const at = path === '' ? key : `${path}.${key}`;
    const field = known !== undefined && Object.hasOwn(known.fields, key) ? known.fields[key] : undefined;
    if (known !== undefined && field === undefined) {
      report('unknown', at);
      continue;
    }
    if (seen.has(key)) report('duplicate', at);
    seen.add(key);
    walk(value, field?.type ?? element?.type, at, types, report);
  }
}

/** The fields of one change of a JSON patch; its value may be anything. */
const JSON_PATCH_OPERATION: ObjectType = {
  fields: { op: { type: 'string' }, path: { type: 'string' }, from: { type: 'string' }, value: { type: 'Any' } },
};

/** The same about a JSON patch, whose operations have a type. */
export function jsonPatchProblems(text: string): string[] {
  const types = { find: (name: string) => (name === 'Operation' ? JSON_PATCH_OPERATION : undefined) };
  return jsonProblems(text, '[]Operation', types).map((problem) => `json patch ${problem}`);
}

/**
 * The keys that occur twice in a mapping of a YAML text, as `sigs.k8s.io/yaml` reports them: `line 3: key "name" already set in map`.
 */
export function yamlDuplicates(text: string): string[] {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { uniqueKeys: false, lineCounter: lines, logLevel: 'silent' });
  const found: string[] = [];
  walkYaml(contents, (key) => {
    const { line } = lines.linePos(key.range?.[0] ?? 0);
    found.push(`line ${line}: key ${JSON.stringify(isScalar(key) ? key.value : null)} already set in map`);
  });
  return found;
}

/** Values come before the key that they belong to, as in the order of decoding. */
function walkYaml(node: unknown, report: (key: Node) => void): void {
  if (isSeq(node)) for (const item of node.items) walkYaml(item, report);
  if (!isMap(node)) return;
  const seen = new Set<unknown>();
  for (const { key, value } of node.items as { key: Node; value: unknown }[]) {
    walkYaml(value, report);
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) report(key);
    seen.add(name);
  }
}

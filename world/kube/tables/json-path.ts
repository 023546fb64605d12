import { isJsonObject } from '../../../protocols/kube/json.ts';
import { at } from './read.ts';

type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly string[]; readonly value: unknown };

/** A key with its dots escaped, a key in brackets, an index, `[*]`, or a filter `[?(@.type=="Ready")]`. */
const STEP =
  /\.((?:\\.|[^.[\\])+)|\['((?:\\.|[^'\\])+)'\]|\[(-?\d+)\]|\[(\*)\]|\[\?\(@((?:\.[\w-]+)+)\s*==\s*("[^"]*"|'[^']*'|true|false|-?\d+)\s*\)\]/y;

/**
 * Compiles a JSONPath of a printer column of a CustomResourceDefinition: keys, indexes, `[*]` and filters by equality. The
 * rest of `k8s.io/client-go/util/jsonpath` (slices, recursive descent, other comparisons) is not supported.
 * @returns a function that finds the values in an object; none for paths that are not supported
 */
export function compileJsonPath(path: string): (value: unknown) => unknown[] {
  const steps = parse(path.startsWith('{') && path.endsWith('}') ? path.slice(1, -1) : path);
  if (steps === undefined) return () => [];
  return (value) =>
    steps.reduce<unknown[]>((found, step) => found.flatMap((one) => take(one, step)), [value]).filter((one) => one !== undefined);
}

function parse(path: string): Step[] | undefined {
  const steps: Step[] = [];
  const pattern = new RegExp(STEP);
  let end = 0;
  while (end < path.length) {
    pattern.lastIndex = end;
    const match = pattern.exec(path);
    if (match === null) return undefined;
    end = pattern.lastIndex;
    const [, plain, quoted, index, all, filter, value = ''] = match;
    const key = plain ?? quoted;
    if (key !== undefined) steps.push({ kind: 'key', key: key.replace(/\\(.)/g, '$1') });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (all !== undefined) steps.push({ kind: 'all' });
    else if (filter !== undefined) {
      steps.push({ kind: 'filter', path: filter.split('.').slice(1), value: JSON.parse(value.replace(/^'(.*)'$/, '"$1"')) });
    }
  }
  return steps;
}

function take(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case 'key':
      return isJsonObject(value) ? [at(value, step.key)] : [];
    case 'index':
      return Array.isArray(value) ? [value.at(step.index)] : [];
    case 'all':
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((one) => at(one, ...step.path) === step.value) : [];
  }
}

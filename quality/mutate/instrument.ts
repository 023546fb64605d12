import type { Mutant } from './draw.ts';

/** The name, in a changed file, of the function that says whether a mutant is active. */
const SWITCH = 'isActiveMutant';

/**
 * A file with all of its mutants, of which at most one is active at a time.
 * @param mutants those of this file
 * @param switchModule how the file imports the module that exports `isActive`
 */
export function instrument(text: string, mutants: readonly Mutant[], switchModule: string): string {
  if (mutants.length === 0) return text;
  // Those that contain others first; of two in the same place, the one that was drawn first.
  const ordered = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end || a.id - b.id);
  return `import { isActive as ${SWITCH} } from '${switchModule}'; ${withSwitches(text, { start: 0, end: text.length }, ordered)}`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text of a span, with the mutants that are in it. */
function withSwitches(text: string, { start, end }: Span, mutants: readonly Mutant[]): string {
  let result = '';
  let at = start;
  let rest = mutants;
  for (let [first, ...others] = rest; first !== undefined; [first, ...others] = rest) {
    const { end: firstEnd } = first;
    const inside = others.filter((other) => other.start < firstEnd);
    result += text.slice(at, first.start) + switched(first, withSwitches(text, first, inside));
    at = firstEnd;
    rest = others.slice(inside.length);
  }
  return result + text.slice(at, end);
}

/** @param original the text that the mutant replaces, with the switches of others */
function switched({ id, kind, replacement, pure }: Mutant, original: string): string {
  if (kind === 'statement-dropped') return `if (!${SWITCH}(${id})) ${original}`;
  const values = pure ? `, () => (${replacement}), () => (${original})` : '';
  return `(${SWITCH}(${id}${values}) ? (${replacement}) : (${original}))`;
}

import type { Ink } from '../reports/paint.ts';
import { wrap } from '../reports/table.ts';

/** A line below an entry, with an optional label. */
export interface Note {
  readonly label?: string;
  readonly text: string;
}

/** One entry of a list. */
export interface Entry {
  readonly name: string;
  readonly text: string;
  readonly notes: readonly Note[];
}

const GAP = 2;
const MIN_COLUMNS = 40;
const MAX_COLUMNS = 140;
/** Least width of a text beside its name. With less room, it goes below. */
const MIN_TEXT = 36;
/** Labels longer than this get a line of their own. */
const MAX_LABEL = 22;

/**
 * Names in a column with their texts beside it; or blocks with the name on top, if there is too little room or there are labels.
 * Then the hints. Ends with a line break.
 */
export function layOutEntries(
  entries: readonly Entry[],
  hints: readonly string[],
  { columns, paint }: { readonly columns: number; readonly paint: (ink: Ink, text: string) => string },
): string {
  const width = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns));
  const longest = Math.max(...entries.map(({ name }) => name.length));
  const hasLabels = entries.some(({ notes }) => notes.some(({ label }) => label !== undefined));
  const isBeside = longest + GAP + MIN_TEXT <= width && !hasLabels;
  const indent = isBeside ? longest + GAP : GAP;
  const lines = entries.flatMap(({ name, text, notes }, index) => {
    const body = [
      ...wrap(text, width - indent),
      ...notes.flatMap((note) => noteLines(note, notes, width - indent)).map((line) => paint('dim', line)),
    ];
    const title = paint('bold', name);
    const margin = ' '.repeat(indent);
    if (!isBeside) return [...(index === 0 ? [] : ['']), title, ...body.map((line) => margin + line)];
    return body.map((line, at) => (at === 0 ? title + ' '.repeat(indent - name.length) : margin) + line);
  });
  return `${[...lines, '', ...hints.flatMap((hint) => wrap(hint, width))].join('\n')}\n`;
}

/** All labels of an entry share a column. */
function noteLines({ label, text }: Note, notes: readonly Note[], width: number): string[] {
  if (label === undefined) return wrap(text, width);
  const column = Math.min(MAX_LABEL, Math.max(...notes.map((note) => note.label?.length ?? 0))) + GAP;
  const lines = wrap(text, width - column);
  if (label.length + GAP > column) return [label, ...lines.map((line) => ' '.repeat(column) + line)];
  return lines.map((line, index) => (index === 0 ? label.padEnd(column) : ' '.repeat(column)) + line);
}

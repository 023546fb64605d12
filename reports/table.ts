/** A cell of a table: its text, and a function that paints it after it is padded. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** A column: cells of one kind under a heading. */
export interface Column {
  readonly heading: string;
  readonly align: 'left' | 'right';
  /** For one column: if the table is too wide, it shrinks to this width, and its cells are cut at the start. */
  readonly shrinkTo?: number;
  /** If the table is still too wide, this column is left out: the highest number first. */
  readonly leaveOut?: number;
}

const GAP = '  ';

/** Scenarios' names may be cut down to this. */
export const SHORTEST_NAME = 12;

/** The natural width of a table. */
export function tableWidth(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  return widthsOf(columns, rows).reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1);
}

/**
 * Lines of a table with its headings, no wider than `maxWidth` if the columns that may shrink or be left out allow it.
 * @param paintHeading how headings are painted
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  layout: { readonly maxWidth: number; readonly paintHeading: (text: string) => string },
): string[] {
  const { maxWidth, paintHeading } = layout;
  const [last] = columns.filter(({ leaveOut }) => leaveOut !== undefined).sort((a, b) => (b.leaveOut ?? 0) - (a.leaveOut ?? 0));
  if (last !== undefined && narrowest(columns, rows) > maxWidth) {
    const isKept = (_: unknown, index: number): boolean => columns[index] !== last;
    return renderTable(
      columns.filter(isKept),
      rows.map((row) => row.filter(isKept)),
      layout,
    );
  }
  const excess = Math.max(0, tableWidth(columns, rows) - maxWidth);
  const widths = widthsOf(columns, rows).map((width, index) => {
    const shrinkTo = columns[index]?.shrinkTo;
    return shrinkTo === undefined ? width : Math.min(width, Math.max(shrinkTo, width - excess));
  });
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, paint = (plain) => plain }, index) => {
        const width = widths[index] ?? 0;
        const shown = text.length > width ? `…${text.slice(text.length - width + 1)}` : text;
        const space = ' '.repeat(width - shown.length);
        return columns[index]?.align === 'right' ? space + paint(shown) : paint(shown) + space;
      })
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ heading }) => ({ text: heading, paint: paintHeading }))), ...rows.map(line)];
}

/** The width of a table after its column has shrunk. */
function narrowest(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  const widths = widthsOf(columns, rows);
  const saved = columns.reduce((sum, { shrinkTo }, index) => sum + Math.max(0, (widths[index] ?? 0) - (shrinkTo ?? Infinity)), 0);
  return tableWidth(columns, rows) - saved;
}

function widthsOf(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number[] {
  return columns.map(({ heading }, index) => Math.max(heading.length, ...rows.map((row) => row[index]?.text.length ?? 0)));
}

/** Breaks a text at spaces so that no line is longer than `width`; words longer than that stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A text cut to `width`. */
export function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}

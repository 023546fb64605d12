/** A value, or why there is none. */
export type Measured = number | { readonly absent: string };

/** What something costs here, beside what it costs elsewhere. */
export interface Row {
  /** With the unit. */
  readonly what: string;
  readonly ours: Measured;
  /** The other program with its version, or whoever says so. */
  readonly anchor: { readonly name: string; readonly value: Measured };
}

/** The rows as a table in Markdown. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(({ what, ours, anchor: { name, value } }) => [
    what,
    typeof ours === 'number' ? format(ours) : `absent: ${ours.absent}`,
    typeof value === 'number' ? `${name}: ${format(value)}` : `${name}: absent, ${value.absent}`,
    typeof ours === 'number' && typeof value === 'number' ? format(ours / value) : '-',
  ]);
  return [['', 'ours', 'anchor', 'ours / anchor'], ['---', '---:', '---', '---:'], ...cells]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`)
    .join('\n');
}

/** Three digits, or all that are before the point. */
function format(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3), minimumFractionDigits: 0 });
}

/** The middle of several values: other work on the machine only makes some of them larger. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

import { printable } from '../reports/paint.ts';

/** A table in the Markdown of GitHub: names at the left, figures at the right. Cells are Markdown already. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map((_heading, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)];
}

/** Escapes text, so that it can't end its table cell or become markup, a link, a mention or HTML. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('@', '@&#8203;')
    .replaceAll('://', ':&#8203;//');
}

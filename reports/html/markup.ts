import { printable } from '../paint.ts';

/** Text that is already HTML. Only `html` and `trusted` create it, so everything else in a page gets escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values in a template: absent parts leave nothing, lists are joined. */
export type Part = Markup | string | number | undefined | false | readonly Part[];

/**
 * A template whose parts are escaped, for text and for quoted attributes, unless they are markup. Indentation of the
 * template itself is dropped.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const own = strings.map((string) => (string.includes('\n') ? string.replaceAll(/\n\s+/g, '\n') : string));
  return new Markup(own.reduce((text, string, index) => text + render(parts[index - 1]) + string));
}

/** Scaleproof's own markup: style sheets, scripts, constants. Never use it for anything from a history. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escape(String(part));
}

function escape(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

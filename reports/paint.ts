import type { Verdict } from '../history/verdict.ts';

export type Ink = Verdict | 'dim' | 'bold' | 'accent';

const CODES: Readonly<Record<Ink, readonly [number, number]>> = {
  pass: [32, 39],
  fail: [31, 39],
  unknown: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
  accent: [36, 39],
};

/** Colours text for a terminal, or leaves it as it is. */
export function createPaint(color: boolean): (ink: Ink, text: string) => string {
  return (ink, text) => {
    if (!color || text === '') return text;
    const [on, off] = CODES[ink];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

/** Escapes control and bidi characters in text from a cluster, as `\x1b` and so on. */
export function printable(text: string): string {
  return text
    .replaceAll('\n', '\\n')
    .replaceAll('\t', ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
    });
}

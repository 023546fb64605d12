import type { Mutant } from '../draw.ts';
import { mutableSources } from '../workplace.ts';

/** A mutant of the first place in a file that has this text. */
export function planted(id: number, file: string, original: string, replacement: string, pure = false): Mutant {
  const text = mutableSources().find((source) => source.file === file)?.text ?? '';
  const start = text.indexOf(original);
  if (start === -1) throw new Error(`${file} has no ${original}`);
  return { id, file, line: 1, kind: 'constant', start, end: start + original.length, pure, original, replacement };
}

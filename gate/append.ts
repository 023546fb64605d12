import { closeSync, fsyncSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';

/**
 * Appends text to a file of lines, and drops a last line that a crash or a full disk truncated. The text is on disk when it returns.
 * @param wholeBytes length of the complete lines
 */
export function appendDurably(path: string, wholeBytes: number, text: string): void {
  const file = openSync(path, 'a');
  try {
    ftruncateSync(file, wholeBytes);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The lines of such a file, without line feeds. A last line without a line feed was truncated, and is ignored. */
export function wholeLines(source: Buffer): { readonly lines: string[]; readonly wholeBytes: number } {
  const wholeBytes = source.lastIndexOf('\n') + 1;
  return { lines: source.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1), wholeBytes };
}

import { closeSync, fsyncSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';

/**
 * Adds text to a file of lines, and drops what a crash or a full disk cut off before. It is on the disk when it returns.
 * @param wholeBytes of the lines that count, from the file's beginning
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

/** The lines of such a file, without their line feeds. A last one that has none was cut off, and does not count. */
export function wholeLines(source: Buffer): { readonly lines: string[]; readonly wholeBytes: number } {
  const wholeBytes = source.lastIndexOf('\n') + 1;
  return { lines: source.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1), wholeBytes };
}

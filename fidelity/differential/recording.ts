import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packageRoot } from '../../model/package-root.ts';

/** The answers of a real part: its version, the seed, and one answer per line. */
export interface Recording<T> {
  readonly server: string;
  readonly seed: string;
  /** By case, in order. */
  readonly answers: readonly T[];
}

/** @param file in the package, a gzip of JSON lines */
export function readRecording<T>(file: string): Recording<T> {
  const lines = gunzipSync(readFileSync(join(packageRoot(), file)))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  const [head, ...answers] = lines.map((line) => JSON.parse(line) as unknown);
  const { server, seed } = head as { server: string; seed: string };
  return { server, seed, answers: answers as T[] };
}

export function writeRecording({ server, seed, answers }: Recording<unknown>, file: string): void {
  const lines = [{ server, seed }, ...answers].map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(packageRoot(), file), gzipSync(`${lines}\n`, { level: 9 }));
}

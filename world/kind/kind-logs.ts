import { closeSync, mkdirSync, openSync, readSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from './diagnose.ts';
import type { Programs } from './programs.ts';

const EXPORT_LIMIT_MS = 60_000;
/** The end of each file is kept, which is the most useful part. */
const MAX_FILE_BYTES = 2 * 2 ** 20;

/**
 * Collects the logs of a cluster's nodes, even of one that did not start, each file cut to its last 2 MiB.
 * @param directory is created
 * @throws ClusterError when kind could not collect them; some may exist
 */
export async function exportKindLogs(programs: Programs, name: string, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const end = await programs.run('kind', ['export', 'logs', directory, '--name', name], { limitMs: EXPORT_LIMIT_MS });
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) keepEnd(join(entry.parentPath, entry.name));
  }
  if (end.code !== 0) throw diagnose('kind', `collect the logs of the cluster ${name}`, end);
}

function keepEnd(path: string): void {
  const { size } = statSync(path);
  if (size <= MAX_FILE_BYTES) return;
  const tail = Buffer.alloc(MAX_FILE_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, tail, 0, MAX_FILE_BYTES, size - MAX_FILE_BYTES);
  } finally {
    closeSync(file);
  }
  writeFileSync(path, Buffer.concat([Buffer.from(`(the first ${size - MAX_FILE_BYTES} bytes were cut off)\n`), tail]));
}

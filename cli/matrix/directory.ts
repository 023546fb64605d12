import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { makeFolders } from '../../model/make-folders.ts';
import { LOCK_FILE } from '../../runtime/directory-lock.ts';
import { lockDirectory } from '../directory-lock.ts';
import { UsageError } from '../usage-error.ts';

/** What a matrix directory is a matrix of. */
const PLAN_FILE = 'matrix-plan.json';

const planSchema = z.strictObject({
  format: z.literal(1),
  /** SHA-256 of all code that a trial may run. */
  sources: z.string(),
  /** The columns, in order. Each has a run directory. */
  versions: z
    .array(z.strictObject({ target: z.string().min(1), folder: z.string().regex(/^\w[\w.-]*$/, 'not a folder of the matrix') }))
    .min(1),
});

/** The columns of a matrix, each with its folder in the matrix directory. */
export type MatrixPlan = Readonly<z.infer<typeof planSchema>>;

/** Whether a directory is that of a matrix. */
export function isMatrixDirectory(directory: string): boolean {
  return existsSync(join(directory, PLAN_FILE));
}

/** @throws UsageError if it can't be read */
export function readPlan(directory: string): MatrixPlan {
  const path = join(directory, PLAN_FILE);
  if (!existsSync(path)) throw new UsageError(`${directory} is not the directory of a matrix: it has no ${PLAN_FILE}`);
  try {
    return planSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UsageError(`${path} can't be read: it is damaged, or of another version of Scaleproof; run the matrix again`);
  }
}

export function writePlan(directory: string, plan: MatrixPlan): void {
  writeFileSync(join(directory, PLAN_FILE), `${JSON.stringify(plan, undefined, 2)}\n`);
}

/**
 * Opens a matrix directory, or creates it, and locks it for this process.
 * @returns releases the lock
 * @throws UsageError if it has something else in it, or another process uses it
 */
export function openMatrix(directory: string): () => void {
  const path = resolve(directory);
  // A command that was refused leaves only the file of its lock.
  if (existsSync(path) && readdirSync(path).some((name) => name !== LOCK_FILE) && !isMatrixDirectory(path))
    throw new UsageError(`--out ${directory} is not the directory of a matrix; name one, or a directory that is new or empty`);
  makeFolders(path);
  return lockDirectory(path, 'only one process at a time can add to a matrix');
}

/** The folder of each version, in the order of their names. */
export function foldersOf(labels: readonly string[]): string[] {
  const folders: string[] = [];
  for (const label of labels) {
    const name = label.replaceAll(/[^\w.-]+/g, '-').replace(/^[^\w]+/, '') || 'target';
    let free = name;
    for (let number = 2; folders.includes(free); number += 1) free = `${name}-${number}`;
    folders.push(free);
  }
  return folders;
}

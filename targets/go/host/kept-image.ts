import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { keepFile, readKeptFile } from '../keep-file.ts';
import type { ProgramImage } from './image.ts';

/** Settings differ between targets: beyond this number the oldest images are removed. An image has some tens of megabytes. */
const MAX_IMAGES = 8;

/**
 * The image that a folder has under this name. If it has none, or the file was damaged, the image is made, and stored there.
 * @param make returns undefined if no image is possible
 */
export function keptImage(folder: string, name: string, make: () => ProgramImage | undefined): ProgramImage | undefined {
  const kept = readKeptFile(join(folder, name));
  // Only this module stores such files, and the name covers their format.
  if (kept !== undefined) return deserialize(kept) as ProgramImage;
  const image = make();
  if (image === undefined) return undefined;
  removeOldest(folder);
  keepFile(join(folder, name), serialize(image));
  return image;
}

function removeOldest(folder: string): void {
  if (!existsSync(folder)) return;
  const byAge = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), usedMs: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of byAge.slice(MAX_IMAGES - 1)) rmSync(path, { force: true });
}

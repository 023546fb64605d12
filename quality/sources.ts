import { readdirSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const OUTPUTS = new Set(['node_modules', '.git', 'dist', 'runs', 'test-results']);

/** Every file of the project with one of these endings, except generated ones: paths from its root, sorted. */
export function filesOf(...endings: readonly string[]): string[] {
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return OUTPUTS.has(entry.name) ? [] : walk(`${path}/`);
      return endings.some((ending) => entry.name.endsWith(ending)) ? [relative(root, path).replaceAll(sep, '/')] : [];
    });
  return walk(root).sort();
}

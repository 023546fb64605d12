import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BuildError } from './build-error.ts';
import type { ModuleSite } from './dependencies.ts';
import { downloadModule } from './module.ts';
import type { DownloadedModule } from './module.ts';

/**
 * Files that modules lack for js, by module and by their paths in it. The program's own module may be among them if it is built from
 * a checkout.
 */
export type Additions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The folder in the main module where Go sees modules with additions. It is only in Go's overlay, not on the disk. */
const FOLDER = '.scaleproof';

/** A module with additions that is not the main module. */
export interface ExtendedModule {
  readonly module: DownloadedModule;
  /** The folder where Go sees it, relative to the main module, so that it is the same on every machine. */
  readonly by: string;
  /** Its own files, by the paths where Go sees them. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * A module of the version that go.mod selects, at a place where files can be added: Go's overlay does not apply to its module cache.
 * @param work the build's own folder
 * @throws BuildError if it can't be fetched
 */
export async function extendedModule(
  { go, directory, modFile }: Pick<ModuleSite, 'go' | 'directory' | 'modFile'>,
  path: string,
  work: string,
): Promise<ExtendedModule> {
  const { isDone, stdout, stderr } = await go.run(['list', '-m', `-modfile=${modFile}`, '-f', '{{.Version}}', path], { directory });
  const module = isDone ? await downloadModule(go, path, stdout.trim(), { directory: work }) : stderr.trim();
  if (typeof module === 'string') throw new BuildError(`${path} can't be fetched: ${module}`);
  const by = `./${FOLDER}/${path}`;
  const files = readdirSync(module.directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return {
    module,
    by,
    files: new Map(
      files.map(({ parentPath, name }) => {
        const file = join(parentPath, name);
        return [join(directory, by, relative(module.directory, file)), file];
      }),
    ),
  };
}

/** Writes files that are added or replaced into the build's own folder. @returns where they are, by the paths where Go sees them */
export function writeOverlaid(
  work: string,
  prefix: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Map<string, string> {
  return new Map(
    files.map(({ path, text }, index) => {
      const file = join(work, `${prefix}-${index}.go`);
      writeFileSync(file, text);
      return [path, file];
    }),
  );
}

/** The flag by which Go sees other files than those on the disk; none if there are none. */
export function overlayFlags(work: string, overlaid: ReadonlyMap<string, string>): string[] {
  if (overlaid.size === 0) return [];
  const list = join(work, 'overlay.json');
  writeFileSync(list, JSON.stringify({ Replace: Object.fromEntries(overlaid) }));
  return [`-overlay=${list}`];
}

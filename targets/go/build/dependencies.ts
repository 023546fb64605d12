import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { GoTool } from './go-tool.ts';
import { parseJson } from './module.ts';

/** Where Go resolves a package's dependencies. */
export interface ModuleSite {
  readonly go: GoTool;
  /** The main module's folder, and the copy of its go.mod that is used. */
  readonly directory: string;
  readonly modFile: string;
  /** Flags that select its files. */
  readonly tags: readonly string[];
  /** Files that are added or replaced, by their paths: where they really are. */
  readonly overlaid: ReadonlyMap<string, string>;
}

/** All dependencies of a main package. */
export interface Dependencies {
  readonly packages: number;
  /** Of the files of packages in folders outside the module cache: their paths within their modules and their contents. */
  readonly localSha256: string;
}

/** One line per package: its path, and if it is local, its module, folder and files. */
const FORMAT =
  '{{.ImportPath}}{{with .Module}}{{if or .Main (and .Replace (not .Replace.Version))}}\t{{$.Dir}}\t' +
  '{{join $.GoFiles "\t"}}\t{{join $.SFiles "\t"}}\t{{join $.HFiles "\t"}}\t{{join $.EmbedFiles "\t"}}{{end}}{{end}}';

/**
 * All packages that a main package needs; missing modules are downloaded.
 * @returns Go's output if some can't be had
 */
export async function dependenciesOf(
  { go, directory, modFile, tags, overlaid }: ModuleSite,
  name: string,
  onFetch: (what: string) => void,
): Promise<Dependencies | string> {
  const onLine = (line: string): void => {
    const [, what] = /^go: downloading (.+)$/.exec(line) ?? [];
    if (what !== undefined) onFetch(what);
  };
  const { isDone, stdout, stderr } = await go.run(['list', `-modfile=${modFile}`, ...tags, '-deps', '-f', FORMAT, name], {
    directory,
    onLine,
  });
  if (!isDone) return stderr;
  const lines = stdout.split('\n').filter((line) => line !== '');
  const hash = createHash('sha256');
  for (const line of lines.toSorted()) {
    const [path = '', folder, ...files] = line.split('\t');
    if (folder === undefined) continue;
    for (const file of files.filter((one) => one !== '').sort()) {
      const place = join(folder, file);
      const digest = createHash('sha256')
        .update(readFileSync(overlaid.get(place) ?? place))
        .digest('hex');
      hash.update(`${digest}  ${path}/${file}\n`);
    }
  }
  return { packages: lines.length, localSha256: hash.digest('hex') };
}

const side = z.object({ Path: z.string(), Version: z.string().optional() });
const modSchema = z.object({ Replace: z.array(z.object({ Old: side, New: side })).nullish() });

/** The replacements in a go.mod: of a module, or one version of it, by another or by a folder. */
export async function replacesOf({
  go,
  directory,
  modFile,
}: Omit<ModuleSite, 'tags' | 'overlaid'>): Promise<{ readonly module: string; readonly by: string }[]> {
  const { stdout } = await go.run(['mod', 'edit', '-json', modFile], { directory });
  const parsed = modSchema.safeParse(parseJson(stdout));
  const named = ({ Path, Version }: z.infer<typeof side>): string => (Version === undefined ? Path : `${Path}@${Version}`);
  return parsed.success ? (parsed.data.Replace ?? []).map(({ Old, New }) => ({ module: named(Old), by: named(New) })) : [];
}

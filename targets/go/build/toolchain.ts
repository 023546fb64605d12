import { createHash } from 'node:crypto';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BuildError } from './build-error.ts';
import type { GoTool } from './go-tool.ts';
import { parseJson } from './module.ts';
import { overlaidFiles } from './overlay.ts';

const variables = z.object({
  GOROOT: z.string().min(1),
  GOVERSION: z.string(),
  GOMODCACHE: z.string(),
  GOEXPERIMENT: z.string(),
  GOWASM: z.string(),
});

/** The Go that builds a module. */
export interface Toolchain {
  /** The Go command itself. */
  readonly go: GoTool;
  /** `go1.26.8` */
  readonly version: string;
  /** Other settings that affect its output: `GOWASM=...`. */
  readonly settings: readonly string[];
  readonly root: string;
}

/**
 * Asks Go which toolchain builds a module: its go.mod may make Go download another than the one on PATH (GOTOOLCHAIN).
 * @param directory of the module
 * @param work the build's own folder
 */
export async function readToolchain(
  go: GoTool,
  { directory, work }: { readonly directory: string; readonly work: string },
): Promise<Toolchain> {
  const { isDone, stdout, stderr } = await go.run(['env', '-json', ...Object.keys(variables.shape)], { directory });
  const parsed = variables.safeParse(parseJson(stdout));
  if (!isDone || !parsed.success) throw new BuildError(`go env failed: ${stderr.trim() || 'its output could not be parsed'}`);
  const { GOROOT: root, GOVERSION: version, GOMODCACHE: cache, GOEXPERIMENT: experiments, GOWASM: features } = parsed.data;
  const settings = [...(experiments === '' ? [] : [`GOEXPERIMENT=${experiments}`]), ...(features === '' ? [] : [`GOWASM=${features}`])];
  if (!root.startsWith(`${cache}/`)) return { go, version, settings, root };
  // A downloaded toolchain is in the module cache, where overlays don't apply: it is called by another path.
  const link = join(work, 'go');
  symlinkSync(root, link);
  return { go: go.with(join(link, 'bin/go'), { GOROOT: link, GOTOOLCHAIN: 'local' }), version, settings, root: link };
}

/** Files that replace some of the standard library, or are added to it. */
export interface Overlay {
  /** Paths are absolute. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Of all of them. */
  readonly sha256: string;
}

/**
 * @param coverage whether the program counts which of its code has run
 * @throws OverlayError if the toolchain's file is unknown
 */
export function readOverlay({ root, version }: Toolchain, coverage: boolean): Overlay {
  const files = overlaidFiles((path) => readFileSync(join(root, path), 'utf8'), version, coverage);
  const sha256 = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { files: files.map(({ path, text }) => ({ path: join(root, path), text })), sha256 };
}

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../../model/defined.ts';
import { artefactName, readArtefact } from '../artefacts/cache.ts';
import type { Artefact } from '../artefacts/cache.ts';
import { CRDS_FOLDER, MANIFEST_FILE, MANIFEST_FORMAT, RECIPE, WASM_FILE } from '../artefacts/manifest.ts';
import type { Manifest } from '../artefacts/manifest.ts';
import { BuildError } from './build-error.ts';
import { exportGlobals } from './export-globals.ts';
import { failure } from './failure.ts';
import { DEFAULT_MEMORY, sizeMemory } from './memory-size.ts';
import type { WholePlan } from './plan.ts';
import type { BuildSite } from './spec.ts';

/**
 * Compiles a program and creates an artefact from it, which appears only when complete.
 * @param builds a folder next to those of artefacts, used by this build only
 * @throws BuildError if Go fails; the signal's reason
 */
export async function makeArtefact(site: BuildSite, plan: WholePlan, builds: string): Promise<Artefact> {
  const { spec, clock, onProgress, startedMs, folder, signal } = site;
  const name = artefactName(spec.program, spec.version, plan.digest);
  const directory = mkdtempSync(join(builds, 'build-'));
  try {
    const path = join(directory, WASM_FILE);
    await compile(site, plan, path);
    onProgress({ step: 'finish' });
    const wasm = sizeMemory(exportGlobals(await readFile(path)), spec.memory ?? DEFAULT_MEMORY);
    await writeFile(path, wasm);
    const crds = spec.crds === undefined ? [] : copyCrds(join(plan.directory, spec.crds), join(directory, CRDS_FOLDER));
    const nowMs = clock.nowMs();
    const manifest: Manifest = {
      format: MANIFEST_FORMAT,
      recipe: RECIPE,
      program: spec.program,
      version: spec.version,
      module: spec.module,
      ...defined({ moduleVersion: plan.fetched?.version }),
      package: spec.package,
      ...defined({ local: plan.localSha256 === undefined ? undefined : { directories: [...plan.local], sha256: plan.localSha256 } }),
      sums: { ...plan.sums },
      replaces: [...plan.replaces],
      goVersion: plan.toolchain.version,
      flags: [...plan.toolchain.settings, ...plan.flags],
      overlaySha256: plan.overlay?.sha256 ?? null,
      request: plan.request,
      digest: plan.digest,
      wasm: { sha256: sha256Of(wasm), bytes: wasm.length },
      crds,
      builtAt: new Date(nowMs).toISOString(),
      seconds: Math.round((nowMs - startedMs) / 100) / 10,
    };
    writeFileSync(join(directory, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
    signal?.throwIfAborted();
    const place = join(folder, name);
    // A folder of this name that was not found as an artefact is incomplete.
    rmSync(place, { recursive: true, force: true });
    chmodSync(directory, 0o755);
    renameSync(directory, place);
    return readArtefact(name, place);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compile({ spec, onProgress }: BuildSite, plan: WholePlan, path: string): Promise<void> {
  const { go, directory, modFile, overlayFlags, flags, packages } = plan;
  let compiled = 0;
  const onLine = (line: string): void => {
    // With -v, Go prints each package that it has to compile.
    if (!/^[\w.~-]+(\/[\w.~-]+)*$/.test(line)) return;
    compiled += 1;
    onProgress({ step: 'compile', compiled, packages, last: line });
  };
  onProgress({ step: 'compile', compiled, packages, last: '' });
  const args = ['build', '-v', `-modfile=${modFile}`, ...overlayFlags, ...flags, '-o', path, spec.package];
  const { isDone, stderr } = await go.run(args, { directory, onLine });
  if (!isDone) throw new BuildError(failure(`${spec.program}@${spec.version} does not compile`, withoutNames(stderr)));
  // For a package that is not main, Go writes its own archive.
  if (!isWasm(path)) throw new BuildError(`${spec.package} is not a main package, so there is nothing to run`, { isRefusal: true });
}

/** Whether a file starts like a WebAssembly module. */
function isWasm(path: string): boolean {
  if (!existsSync(path)) return false;
  const head = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, head);
  closeSync(file);
  return head.toString('latin1') === '\0asm';
}

/** Go's output without the names of compiled packages. */
function withoutNames(said: string): string {
  return said
    .split('\n')
    .filter((line) => !/^[\w.~/-]+$/.test(line))
    .join('\n');
}

function copyCrds(from: string, to: string): Manifest['crds'] {
  mkdirSync(to);
  const files = existsSync(from) ? readdirSync(from).filter((file) => /\.ya?ml$/.test(file)) : [];
  if (files.length === 0) throw new BuildError(`there are no CustomResourceDefinitions in ${from}`);
  return files.sort().map((file) => {
    copyFileSync(join(from, file), join(to, file));
    chmodSync(join(to, file), 0o644);
    return { file, sha256: sha256Of(readFileSync(join(to, file))) };
  });
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

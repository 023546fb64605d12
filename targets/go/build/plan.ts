import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RECIPE } from '../artefacts/manifest.ts';
import type { Replacement } from '../artefacts/manifest.ts';
import { extendedModule, overlayFlags, writeOverlaid } from './additions.ts';
import { BuildError } from './build-error.ts';
import { coverageFlags } from './coverage.ts';
import { dependenciesOf, replacesOf } from './dependencies.ts';
import type { ModuleSite } from './dependencies.ts';
import { failure } from './failure.ts';
import { createGo } from './go-tool.ts';
import { downloadModule, evidenceOf, refusedModule } from './module.ts';
import type { DownloadedModule } from './module.ts';
import { DEFAULT_MEMORY } from './memory-size.ts';
import type { BuildSite, GoProgramSpec } from './spec.ts';
import { readOverlay, readToolchain } from './toolchain.ts';
import type { Overlay, Toolchain } from './toolchain.ts';

/** What to build, and with which Go. */
export interface Plan extends ModuleSite {
  readonly toolchain: Toolchain;
  /** From the module proxy; undefined for a checkout. */
  readonly fetched: Pick<DownloadedModule, 'version' | 'sum'> | undefined;
  /** Folders outside the module cache, whose files may change. */
  readonly local: readonly string[];
  readonly overlay: Overlay | undefined;
  readonly flags: readonly string[];
  /** Digest of the request. Without local folders, the same request always gives the same result. */
  readonly request: string;
}

/** The same with all inputs. */
export interface WholePlan extends Plan {
  readonly replaces: readonly Replacement[];
  readonly sums: Readonly<Record<string, string>>;
  readonly localSha256: string | undefined;
  readonly packages: number;
  /** Digest of all inputs. */
  readonly digest: string;
  /** Go's flag for files that are added or replaced. */
  readonly overlayFlags: readonly string[];
}

/** Most commits that may be replaced by releases in one build. */
const MAX_RELEASES = 8;

/**
 * Downloads the module, finds the Go that builds it, and prepares the overlay.
 * @throws BuildError, OverlayError
 */
export async function planBuild({ spec, work, onProgress, signal }: BuildSite): Promise<Plan> {
  const go = createGo({ name: `${spec.program}@${spec.version}`, goHint: goHintOf(spec) }, signal);
  // Fails at once if Go is missing.
  await go.run(['version'], { directory: work });
  const fetched = spec.source === undefined ? await fetchModule(spec, { go, work, onProgress }) : undefined;
  const directory = fetched?.directory ?? checkoutOf(spec.source ?? '');
  // The module stays unchanged: Go gets a copy of its go.mod, and writes the checksums next to it.
  const modFile = join(work, 'go.mod');
  copyFileSync(join(directory, 'go.mod'), modFile);
  chmodSync(modFile, 0o644);
  writeFileSync(join(work, 'go.sum'), goSumOf(directory));
  const toolchain = await readToolchain(go, { directory, work });
  onProgress({ step: 'go', version: toolchain.version });
  const cover = coverageFlags(spec.coverage);
  if (cover.length > 0 && spec.overlay === false)
    throw new BuildError('coverage needs the overlay, which tells the host where the counters are', { isRefusal: true });
  const overlay = spec.overlay === false ? undefined : readOverlay(toolchain, cover.length > 0);
  const overlaid = writeOverlaid(work, 'overlaid', overlay?.files ?? []);
  const settings = Object.entries(spec.variables ?? {}).map(([variable, value]) => `-X=${variable}=${value}`);
  const tags = spec.tags === undefined ? [] : [`-tags=${spec.tags.join(',')}`];
  const flags = ['-trimpath', '-buildvcs=false', ...tags, ...(settings.length === 0 ? [] : [`-ldflags=${settings.join(' ')}`]), ...cover];
  const replace = Object.entries(spec.replace ?? {}).sort();
  const request = digestOf({
    program: spec.program,
    version: spec.version,
    module: spec.module,
    package: spec.package,
    replace,
    crds: spec.crds,
    memory: spec.memory ?? DEFAULT_MEMORY,
    additions: spec.additions,
    sum: fetched?.sum,
    go: [toolchain.version, ...toolchain.settings],
    overlay: overlay?.sha256,
    flags,
    recipe: RECIPE,
  });
  const local = [...(fetched === undefined ? [directory] : []), ...replace.flatMap(([, by]) => (isFolder(by) ? [resolve(by)] : []))];
  return { go: toolchain.go, toolchain, directory, fetched, modFile, tags, overlaid, local, overlay, flags, request };
}

async function fetchModule(
  { module, moduleVersion }: GoProgramSpec,
  { go, work, onProgress }: Pick<BuildSite, 'work' | 'onProgress'> & Pick<ModuleSite, 'go'>,
): Promise<DownloadedModule> {
  if (moduleVersion === undefined) throw new BuildError(`${module} needs a version, or a checkout of it`, { isRefusal: true });
  onProgress({ step: 'fetch', what: `${module} ${moduleVersion}` });
  const found = await downloadModule(go, module, moduleVersion, { directory: work });
  if (typeof found !== 'string') return found;
  throw new BuildError(
    `${module}@${moduleVersion} can't be fetched: ${found}; check that the version exists and that Go can reach its proxy (GOPROXY), or build from a checkout`,
  );
}

/** Which Go to install: the one that a checkout names, otherwise one that is known to work. */
function goHintOf({ source, goHint = 'it' }: GoProgramSpec): string {
  const [, version] = source === undefined ? [] : (/^go (\S+)$/m.exec(readFileSync(join(checkoutOf(source), 'go.mod'), 'utf8')) ?? []);
  return version === undefined ? goHint : `Go ${version} or later`;
}

function checkoutOf(source: string): string {
  if (existsSync(join(source, 'go.mod'))) return resolve(source);
  throw new BuildError(`${source} is not a checkout of a Go module: it has no go.mod`, { isRefusal: true });
}

function goSumOf(directory: string): string {
  const path = join(directory, 'go.sum');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** A replacement without a version is a folder. */
function isFolder(by: string): boolean {
  return !by.includes('@');
}

/**
 * Lets Go resolve all packages, replaces commits that can't be downloaded by releases, and computes the digest of all inputs.
 * @throws BuildError
 */
export async function resolvePlan({ spec, work, onProgress }: BuildSite, plan: Plan): Promise<WholePlan> {
  const { go, directory, modFile, fetched, local } = plan;
  const sums: Record<string, string> = fetched === undefined ? {} : { [`${spec.module}@${fetched.version}`]: fetched.sum };
  const replaces: Replacement[] = (await replacesOf(plan)).map((one) => ({ ...one, evidence: 'module' }));
  const replace = async (replacement: Replacement): Promise<void> => {
    const { isDone, stderr } = await go.run(['mod', 'edit', `-replace=${replacement.module}=${replacement.by}`, modFile], { directory });
    if (!isDone)
      throw new BuildError(`${replacement.module} can't be replaced by ${replacement.by}: ${stderr.trim()}`, { isRefusal: true });
    replaces.push(replacement);
    onProgress({ step: 'replace', replacement });
  };
  for (const [module, by] of Object.entries(spec.replace ?? {}))
    await replace({ module, by: isFolder(by) ? checkoutOf(by) : by, evidence: 'asked' });
  const overlaid = new Map(plan.overlaid);
  for (const [path, files] of Object.entries(spec.additions ?? {})) {
    let folder = directory;
    if (path !== spec.module) {
      const { module, by, files: own } = await extendedModule(plan, path, work);
      sums[`${path}@${module.version}`] = module.sum;
      for (const [place, file] of own) overlaid.set(place, file);
      await replace({ module: path, by, evidence: 'extended' });
      folder = join(directory, by);
    }
    const added = Object.entries(files).map(([name, text]) => ({ path: join(folder, name), text }));
    for (const [place, file] of writeOverlaid(work, path.replaceAll('/', '-'), added)) overlaid.set(place, file);
  }
  const seen = overlayFlags(work, overlaid);
  onProgress({ step: 'resolve' });
  for (let releases = 0; ; releases += 1) {
    const found = await dependenciesOf({ ...plan, overlaid, tags: [...plan.tags, ...seen] }, spec.package, (what) =>
      onProgress({ step: 'fetch', what }),
    );
    if (typeof found !== 'string') {
      const whole = { replaces, sums, localSha256: local.length === 0 ? undefined : found.localSha256, packages: found.packages };
      // The versions of all modules.
      const modules = [readFileSync(modFile, 'utf8'), goSumOf(directory)];
      return {
        ...plan,
        ...whole,
        overlaid,
        overlayFlags: seen,
        digest: digestOf({ request: plan.request, replaces, sums, local: whole.localSha256, modules }),
      };
    }
    const refused = refusedModule(found);
    if (refused === undefined || releases === MAX_RELEASES) throw new BuildError(failure(`${spec.package} lacks a dependency`, found));
    const release = await downloadModule(go, refused.module, refused.tag, { directory: work });
    if (typeof release === 'string')
      throw new BuildError(
        `${refused.module}@${refused.version} can't be fetched, nor can ${refused.tag}, the release after it: ${release}; build from checkouts`,
      );
    sums[`${refused.module}@${refused.tag}`] = release.sum;
    await replace({
      module: `${refused.module}@${refused.version}`,
      by: `${refused.module}@${refused.tag}`,
      evidence: evidenceOf(refused, release, goSumOf(directory)),
    });
  }
}

function digestOf(what: object): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

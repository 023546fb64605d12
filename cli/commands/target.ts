import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDurationMs } from '../../model/go-duration.ts';
import { artefactsFolder, listArtefacts } from '../../targets/go/artefacts/cache.ts';
import type { Artefact, BrokenArtefact } from '../../targets/go/artefacts/cache.ts';
import { CRDS_FOLDER, EVIDENCE, MANIFEST_FILE, RECIPE, WASM_FILE } from '../../targets/go/artefacts/manifest.ts';
import type { Manifest } from '../../targets/go/artefacts/manifest.ts';
import { pruned } from '../../targets/go/artefacts/prune.ts';
import type { PruneRule } from '../../targets/go/artefacts/prune.ts';
import { TargetVersionError, parseTargetVersion, specOf } from '../../targets/go/build/programs.ts';
import type { Checkouts } from '../../targets/go/build/programs.ts';
import type { BuildResult, GoProgramSpec } from '../../targets/go/build/spec.ts';
import { formatDuration } from '../../reports/format.ts';
import { printable } from '../../reports/paint.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { buildTarget } from '../build-target.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `target build`. */
export interface TargetBuildFlags extends Checkouts {
  readonly json: boolean;
}

/**
 * `scaleproof target build PROGRAM@VERSION`: compiles an autoscaler for the wasm host, or finds an earlier build.
 * @returns the exit code: 0 when it is built, 1 when it doesn't compile, 3 when interrupted
 * @throws UsageError when something is missing: Go, a version, a checkout
 */
export async function targetBuild(text: string, { json, ...checkouts }: TargetBuildFlags, console: Console): Promise<number> {
  const spec = specFor(text, checkouts);
  const clock = createRealTimeline().scope('target build');
  const { signal, release } = interruption();
  const startedMs = clock.nowMs();
  try {
    const result = await buildTarget(spec, signal, console);
    if (typeof result === 'string') {
      console.err(`scaleproof: ${result.split('\n').map(printable).join('\n')}\n`);
      return EXIT.fail;
    }
    console.out(json ? asJson({ ...jsonOf(result.artefact), found: result.isFound }) : inWords(result, clock.nowMs() - startedMs));
    return EXIT.pass;
  } catch (error) {
    if (!signal.aborted) throw error;
    console.err('scaleproof: interrupted; the partial build was removed\n');
    return EXIT.unknown;
  } finally {
    release();
  }
}

/** @throws UsageError */
function specFor(text: string, checkouts: Checkouts): GoProgramSpec {
  for (const [flag, directory] of Object.entries(checkouts) as [string, string | undefined][]) {
    if (directory !== undefined && statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--${flag} ${directory} is not a directory; name a checkout`);
  }
  try {
    return specOf(parseTargetVersion(text), checkouts);
  } catch (error) {
    if (error instanceof TargetVersionError) throw new UsageError(error.message);
    throw error;
  }
}

function inWords({ artefact, isFound }: BuildResult, tookMs: number): string {
  const { directory, manifest } = artefact;
  const { program, version, goVersion, wasm, builtAt, replaces } = manifest;
  const how = isFound ? `was built on ${dayOf(builtAt)} with ${goVersion}` : `built in ${formatDuration(tookMs)} with ${goVersion}`;
  const notes = replaces.flatMap(({ module, by, evidence }) =>
    evidence === 'module' ? [] : [`  ${by} for ${module}: ${EVIDENCE[evidence]}\n`],
  );
  return `${program}@${version} ${how}, ${formatBytes(wasm.bytes)}\n${notes.join('')}  ${directory}\n`;
}

/** `scaleproof target list`: what is built. @returns the exit code: 0 */
export function targetList({ json }: { readonly json: boolean }, console: Console): number {
  const folder = artefactsFolder();
  const { artefacts, broken } = listArtefacts(folder);
  if (json) {
    console.out(asJson({ folder, artefacts: artefacts.map(jsonOf), broken }));
    return EXIT.pass;
  }
  const rows = artefacts.map(({ manifest }) => [
    `${manifest.program}@${manifest.version}`,
    dayOf(manifest.builtAt),
    formatBytes(manifest.wasm.bytes),
    manifest.goVersion,
    manifest.digest.slice(0, 12),
    notesOn(manifest),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = [
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    ...broken.map(({ name, problem }) => `${printable(name)}  can't be used: ${printable(problem)}`),
  ];
  if (lines.length === 0) console.out('No target has been built. Build one with: scaleproof target build karpenter@1.14.1\n');
  else console.out(`${lines.join('\n')}\n\n${folder}\n`);
  return EXIT.pass;
}

/** Where it is from, if that is not the module proxy, and why it can't be used, if so. */
function notesOn({ local, recipe }: Manifest): string {
  return [
    ...(local === undefined ? [] : [`from ${local.directories.map(printable).join(', ')}`]),
    ...(recipe === RECIPE ? [] : ['built by another version of Scaleproof: build it again']),
  ].join('; ');
}

/** The flags of `target prune`. */
export interface TargetPruneFlags {
  readonly keep?: string | undefined;
  readonly olderThan?: string | undefined;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/**
 * `scaleproof target prune`: removes builds.
 * @returns the exit code: 0
 * @throws UsageError when no rule is given, or no build has that name
 */
export function targetPrune(name: string | undefined, flags: TargetPruneFlags, console: Console): number {
  const { dryRun, json } = flags;
  const found = listArtefacts();
  const selected = pruned(found, ruleOf(name, flags));
  if (name !== undefined && selected.length === 0)
    throw new UsageError(`nothing named ${name} was built; \`scaleproof target list\` lists the builds`);
  const sized = selected.map((one) => ({ ...one, bytes: bytesOf(one) }));
  if (!dryRun) for (const { directory } of sized) rmSync(directory, { recursive: true, force: true });
  const bytes = sized.reduce((sum, one) => sum + one.bytes, 0);
  if (json) {
    console.out(asJson({ dryRun, removed: sized.map((one) => ({ name: one.name, directory: one.directory, bytes: one.bytes })), bytes }));
    return EXIT.pass;
  }
  const [removed, freed] = dryRun ? ['would remove', 'would be freed'] : ['removed', 'freed'];
  for (const one of sized) console.out(`${removed} ${printable(one.name)}  ${formatBytes(one.bytes)}\n`);
  console.out(sized.length === 0 ? 'Nothing to remove.\n' : `${formatBytes(bytes)} ${freed}.\n`);
  return EXIT.pass;
}

const DAY_MS = 86_400_000;

/** @throws UsageError */
function ruleOf(name: string | undefined, { keep, olderThan, all }: TargetPruneFlags): PruneRule {
  const given = [name, keep, olderThan, all ? '' : undefined].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError('target prune takes one of a NAME, --keep N, --older-than DURATION and --all');
  if (name !== undefined) return { kind: 'named', name };
  if (keep !== undefined) {
    if (!/^\d{1,6}$/.test(keep)) throw new UsageError(`--keep must be a whole number, not "${keep}"`);
    return { kind: 'keep', count: Number(keep) };
  }
  if (olderThan === undefined) return { kind: 'all' };
  const [, days] = /^(\d{1,6})d$/.exec(olderThan) ?? [];
  const thanMs = days === undefined ? parseDurationMs(olderThan) : Number(days) * DAY_MS;
  if (thanMs === undefined) throw new UsageError(`--older-than must be a duration such as 30d or 12h, not "${olderThan}"`);
  return { kind: 'older', thanMs, nowMs: createRealTimeline().scope('command').nowMs() };
}

/** Size of an artefact on disk; of a broken one, only its program. */
function bytesOf(one: Artefact | BrokenArtefact): number {
  const files = 'crds' in one ? [WASM_FILE, MANIFEST_FILE, ...one.manifest.crds.map(({ file }) => join(CRDS_FOLDER, file))] : [WASM_FILE];
  return files.reduce((sum, file) => sum + (statSync(join(one.directory, file), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function jsonOf({ name, directory, manifest }: Artefact): object {
  return { name, directory, ...manifest };
}

function asJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** `2026-11-24 02:18` in UTC. */
function dayOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}

/** In decimal units. */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(0)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

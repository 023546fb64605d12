import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CRDS_FOLDER, MANIFEST_FILE, RECIPE, WASM_FILE, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';

/** The environment variable with the cache folder. */
export const CACHE_VARIABLE = 'SCALEPROOF_CACHE';
/** Digits of an artefact's digest in its folder's name. */
const NAME_DIGITS = 12;

/** A program that has been built. Paths are absolute. */
export interface Artefact {
  /** The folder's name: `karpenter@1.14.1-0123456789ab`. */
  readonly name: string;
  readonly directory: string;
  readonly wasm: string;
  /** CustomResourceDefinitions, sorted by name. */
  readonly crds: readonly string[];
  readonly manifest: Manifest;
}

/** A folder that should be an artefact but can't be read. */
export interface BrokenArtefact {
  readonly name: string;
  readonly directory: string;
  readonly problem: string;
}

/** An artefact is missing or was changed. The message says what to do. */
export class ArtefactError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArtefactError';
  }
}

/** The folder of artefacts: `targets` in `SCALEPROOF_CACHE`, or in `scaleproof` in `XDG_CACHE_HOME` or `~/.cache`. */
export function artefactsFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const set = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  const cache = set(CACHE_VARIABLE) ?? join(set('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'scaleproof');
  return join(cache, 'targets');
}

/** The name of an artefact's folder. @param digest of all its inputs */
export function artefactName(program: string, version: string, digest: string): string {
  return `${program}@${version}-${digest.slice(0, NAME_DIGITS)}`;
}

/** Everything in the cache, newest last. Folders whose names start with a dot belong to builds. */
export function listArtefacts(folder: string = artefactsFolder()): { readonly artefacts: Artefact[]; readonly broken: BrokenArtefact[] } {
  const artefacts: Artefact[] = [];
  const broken: BrokenArtefact[] = [];
  if (!existsSync(folder)) return { artefacts, broken };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    const directory = join(folder, entry.name);
    try {
      artefacts.push(readArtefact(entry.name, directory));
    } catch (error) {
      broken.push({ name: entry.name, directory, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  artefacts.sort((a, b) => compare(a.manifest.builtAt, b.manifest.builtAt) || compare(a.name, b.name));
  broken.sort((a, b) => compare(a.name, b.name));
  return { artefacts, broken };
}

/** @throws Error if it is not an artefact */
export function readArtefact(name: string, directory: string): Artefact {
  const path = join(directory, MANIFEST_FILE);
  if (!existsSync(path)) throw new Error(`it has no ${MANIFEST_FILE}`);
  const manifest = parseManifest(readFileSync(path, 'utf8'));
  return {
    name,
    directory,
    wasm: join(directory, WASM_FILE),
    crds: manifest.crds.map(({ file }) => join(directory, CRDS_FOLDER, file)),
    manifest,
  };
}

/**
 * The newest artefact of a program's version. Artefacts of other recipes are ignored.
 * @param version as given for the build: `1.14.1`, a commit, or the name of a checkout
 */
export function findArtefact(program: string, version: string, folder?: string): Artefact | undefined {
  return listArtefacts(folder).artefacts.findLast(
    ({ manifest }) => manifest.program === program && manifest.version === version && manifest.recipe === RECIPE,
  );
}

/**
 * The same.
 * @param isCheckout whether the version is built from a checkout @throws ArtefactError that says how to build it if there is none
 */
export function requireArtefact(program: string, version: string, isCheckout: boolean, folder?: string): Artefact {
  const found = findArtefact(program, version, folder);
  if (found !== undefined) return found;
  const instead = isCheckout && /^[a-z]/i.test(version) ? `; or give a release or a commit instead of "${version}"` : '';
  const otherwise = isCheckout ? `, with DIR a checkout${instead}` : '';
  throw new ArtefactError(
    `${program}@${version} has not been built yet: run ${buildCommand(program, version, isCheckout)} (minutes; needs Go)${otherwise}`,
  );
}

function buildCommand(program: string, version: string, isCheckout: boolean): string {
  return `\`scaleproof target build ${program}@${version}${isCheckout ? ' --source DIR' : ''}\``;
}

/**
 * Reads a whole artefact and compares it with its manifest: a quarter of a gigabyte in about half a second.
 * @throws ArtefactError if a file is missing or was changed
 */
export async function verifyArtefact({ name, wasm, crds, manifest }: Artefact): Promise<void> {
  const files = [
    { path: wasm, expected: manifest.wasm.sha256 },
    ...crds.map((path, index) => ({ path, expected: manifest.crds[index]?.sha256 })),
  ];
  for (const { path, expected } of files) {
    const problem = await problemOf(path, expected);
    if (problem === undefined) continue;
    throw new ArtefactError(
      `${path} ${problem}: remove the artefact with \`scaleproof target prune ${name}\` and build it again with ${buildCommand(manifest.program, manifest.version, manifest.local !== undefined)}`,
    );
  }
}

async function problemOf(path: string, expected: string | undefined): Promise<string | undefined> {
  try {
    return (await sha256OfFile(path)) === expected ? undefined : 'is not what was built (its SHA-256 differs)';
  } catch (error) {
    return `can't be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** In hexadecimal digits. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Chunk size for reading. */
const READ_BYTES = 4 * 2 ** 20;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CRDS_FOLDER, MANIFEST_FILE, RECIPE, WASM_FILE, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';

/** Names the folder of what Scaleproof keeps between runs. */
export const CACHE_VARIABLE = 'SCALEPROOF_CACHE';
/** Digits of an artefact's digest in its folder's name. */
const NAME_DIGITS = 12;

/** A program that has been built. Paths are absolute. */
export interface Artefact {
  /** Of its folder: `karpenter@1.14.1-0123456789ab`. */
  readonly name: string;
  readonly directory: string;
  readonly wasm: string;
  /** CustomResourceDefinitions, in the order of their names. */
  readonly crds: readonly string[];
  readonly manifest: Manifest;
}

/** A folder that should be an artefact and can't be read as one. */
export interface BrokenArtefact {
  readonly name: string;
  readonly directory: string;
  readonly problem: string;
}

/** An artefact is missing, or is not what was built. The message says what to do. */
export class ArtefactError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArtefactError';
  }
}

/** Where artefacts are kept: `targets` in `SCALEPROOF_CACHE`, or in `scaleproof` in `XDG_CACHE_HOME` or `~/.cache`. */
export function artefactsFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const set = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  const cache = set(CACHE_VARIABLE) ?? join(set('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'scaleproof');
  return join(cache, 'targets');
}

/** The name of an artefact's folder. @param digest of everything that went into it */
export function artefactName(program: string, version: string, digest: string): string {
  return `${program}@${version}-${digest.slice(0, NAME_DIGITS)}`;
}

/** Everything in the cache, the newest last. Folders whose names begin with a dot are those of builds. */
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

/** @throws Error where it is no artefact */
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
 * The artefact of a program's version: of several the one that was built last. What another recipe made is not looked at.
 * @param version as it was asked for when it was built: `1.14.1`, a commit, or the name of a checkout
 */
export function findArtefact(program: string, version: string, folder?: string): Artefact | undefined {
  return listArtefacts(folder).artefacts.findLast(
    ({ manifest }) => manifest.program === program && manifest.version === version && manifest.recipe === RECIPE,
  );
}

/** The same. @throws ArtefactError that says how it is built where there is none */
export function requireArtefact(program: string, version: string, folder?: string): Artefact {
  const found = findArtefact(program, version, folder);
  if (found !== undefined) return found;
  throw new ArtefactError(
    `${program}@${version} has not been built yet: run \`scaleproof target build ${program}@${version}\` (minutes; needs Go)`,
  );
}

/**
 * Reads all of an artefact and compares it with its manifest: a quarter of a gigabyte in about half a second.
 * @throws ArtefactError where a file is missing or was changed
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
      `${path} ${problem}: remove the artefact with \`scaleproof target prune ${name}\` and build it again with \`scaleproof target build ${manifest.program}@${manifest.version}\``,
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

/** Read at once. */
const READ_BYTES = 4 * 2 ** 20;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

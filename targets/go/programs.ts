import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { manifestProblem } from '../command/apply.ts';
import type { Manifest } from '../command/apply.ts';
import type { Artefact } from './artefacts/cache.ts';
import { makeImage } from './host/image.ts';
import type { ImageSource, ProgramImage } from './host/image.ts';
import { keptImage } from './host/kept-image.ts';
import { CompiledProgram } from './host/module.ts';

/** Subfolders of an artefact: V8's code for the program, and its images. */
const CODE_FOLDER = 'code';
const IMAGES_FOLDER = 'images';
/** Version of images: raise it if the same program would have a different image. */
const IMAGE_FORMAT = 2;

/**
 * Shared by all trials of a process: they run one or two programs, each of which takes a second to compile and another one until
 * its first request. A trial can't change any of it.
 */
/* eslint-disable scaleproof/module-state -- created once per process from an artefact alone, and never changed */
const compiled = new Map<string, CompiledProgram>();
const images = new Map<string, ProgramImage | undefined>();
const definitions = new Map<string, readonly Manifest[]>();
/* eslint-enable scaleproof/module-state */

/** The compiled program of an artefact: compiled once per process. @throws Error when its file can't be read */
export function compiledProgram({ wasm, directory }: Pick<Artefact, 'wasm' | 'directory'>): CompiledProgram {
  const known = compiled.get(wasm);
  if (known !== undefined) return known;
  const program = new CompiledProgram(wasm, join(directory, CODE_FOLDER));
  compiled.set(wasm, program);
  return program;
}

/** The CustomResourceDefinitions of an artefact. @throws Error for an invalid file: it was changed after the build */
export function definitionsOf({ directory, crds }: Pick<Artefact, 'directory' | 'crds'>): readonly Manifest[] {
  const known = definitions.get(directory);
  if (known !== undefined) return known;
  const read = crds.map((path) => {
    const value: unknown = parse(readFileSync(path, 'utf8'));
    const problem = manifestProblem(value);
    if (problem !== undefined) throw new Error(`${path}: ${problem}`);
    return deepFreeze(value) as Manifest;
  });
  definitions.set(directory, read);
  return read;
}

/**
 * The image of an artefact's program with these settings: created once, and stored with the program.
 * @returns undefined if no image is possible
 */
export function imageOf({ directory, manifest }: Pick<Artefact, 'directory' | 'manifest'>, source: ImageSource): ProgramImage | undefined {
  const { command, environment, files } = source;
  const key = createHash('sha256')
    .update(JSON.stringify([IMAGE_FORMAT, process.versions.v8, manifest.wasm.sha256, command, Object.entries(environment).sort()]))
    .update(JSON.stringify([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])))
    .digest('hex');
  if (images.has(key)) return images.get(key);
  const image = keptImage(join(directory, IMAGES_FOLDER), key, () => makeImage(source));
  images.set(key, image);
  return image;
}

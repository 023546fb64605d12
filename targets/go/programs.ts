import { join } from 'node:path';
import type { Artefact } from './artefacts/cache.ts';
import { CompiledProgram } from './host/module.ts';

/** Of an artefact, beside the program: what V8 made of it. */
const CODE_FOLDER = 'code';

/** A process runs many trials of one or two programs, each of which takes a second to compile and is the same for all trials. */
const compiled = new Map<string, CompiledProgram>();

/** The compiled program of an artefact: compiled once a process. @throws Error when its file can't be read */
export function compiledProgram({ wasm, directory }: Pick<Artefact, 'wasm' | 'directory'>): CompiledProgram {
  const known = compiled.get(wasm);
  if (known !== undefined) return known;
  const program = new CompiledProgram(wasm, join(directory, CODE_FOLDER));
  compiled.set(wasm, program);
  return program;
}

import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { ArtefactError, artefactsFolder, listArtefacts, readArtefact, requireArtefact } from './artefacts/cache.ts';
import type { Artefact } from './artefacts/cache.ts';
import { RECIPE } from './artefacts/manifest.ts';
import { coverageFlags } from './build/coverage.ts';
import type { GoProgramSpec } from './build/spec.ts';

/** The compiled program that a target runs. */
export interface TargetProgram {
  /** The name of its artefact: `karpenter` and `1.14.1`. */
  readonly program: string;
  readonly version: string;
  /** How to build it; absent if only its name is known, as for a checkout that was built with `--source`. */
  readonly spec?: GoProgramSpec;
  /** The artefact that the target runs. @throws ArtefactError if it has not been built */
  artefact(): Artefact;
}

/**
 * @param pinned the artefact's folder name in the cache; by default the newest of the version, which may change during a run
 */
export function targetProgram({ program, version, spec }: Omit<TargetProgram, 'artefact'>, pinned: string | undefined): TargetProgram {
  return {
    program,
    version,
    ...defined({ spec }),
    artefact: () => (pinned === undefined ? requireArtefact(program, version, spec === undefined) : readPinned(pinned)),
  };
}

function readPinned(name: string): Artefact {
  const directory = join(artefactsFolder(), name);
  try {
    return readArtefact(name, directory);
  } catch (error) {
    throw new ArtefactError(`${directory} is gone or was changed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The newest artefact that is certainly built from a spec, found without Go. Never for a checkout or replaced modules: only Go
 * knows what would be built then.
 */
export function builtOf(spec: GoProgramSpec, folder?: string): Artefact | undefined {
  if (spec.source !== undefined || Object.keys(spec.replace ?? {}).length > 0) return undefined;
  const coverage = coverageFlags(spec.coverage);
  const isCovered = coverage.length > 0;
  return listArtefacts(folder).artefacts.findLast(
    ({ manifest }) =>
      manifest.recipe === RECIPE &&
      manifest.local === undefined &&
      manifest.program === spec.program &&
      manifest.version === spec.version &&
      manifest.module === spec.module &&
      manifest.package === spec.package &&
      (manifest.overlaySha256 === null) === (spec.overlay === false) &&
      manifest.flags.includes('-cover') === isCovered &&
      coverage.every((flag) => manifest.flags.includes(flag)),
  );
}

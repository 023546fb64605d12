import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolders } from '../../../model/make-folders.ts';
import { LOCK_FILE, tryDirectory } from '../../../runtime/directory-lock.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { artefactsFolder, listArtefacts } from '../artefacts/cache.ts';
import type { Artefact } from '../artefacts/cache.ts';
import type { Manifest } from '../artefacts/manifest.ts';
import { BuildError } from './build-error.ts';
import { makeArtefact } from './make.ts';
import { planBuild, resolvePlan } from './plan.ts';
import type { BuildOptions, BuildResult, BuildSite, GoProgramSpec } from './spec.ts';

/** The folder of running builds, within that of artefacts: only one at once, since each takes gigabytes of memory. */
const BUILDS = '.builds';
/** How often, and how many times at most, to check whether another process's build is over: two hours. */
const LOOK_PERIOD_MS = 500;
const MAX_LOOKS = 14_400;

/**
 * Builds a Go program for the wasm host, or finds an artefact built from the same inputs.
 * @throws BuildError that says what to do; OverlayError and WasmError for an unknown toolchain; the signal's reason
 */
export async function buildGoProgram(spec: GoProgramSpec, options: BuildOptions = {}): Promise<BuildResult> {
  const { onProgress = () => undefined, signal, folder = artefactsFolder() } = options;
  const clock = createRealTimeline().scope('build');
  const work = mkdtempSync(join(tmpdir(), 'scaleproof-build-'));
  try {
    const site: BuildSite = { spec, work, folder, clock, onProgress, signal, startedMs: clock.nowMs() };
    const plan = await planBuild(site);
    const before = plan.local.length > 0 ? undefined : foundIn(folder, ({ request }) => request === plan.request);
    if (before !== undefined) return { artefact: before, isFound: true };
    const whole = await resolvePlan(site, plan);
    const release = await takeTurn(site);
    try {
      const made = foundIn(folder, ({ digest }) => digest === whole.digest);
      if (made !== undefined) return { artefact: made, isFound: true };
      return { artefact: await makeArtefact(site, whole, join(folder, BUILDS)), isFound: false };
    } finally {
      release();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function foundIn(folder: string, isIt: (manifest: Manifest) => boolean): Artefact | undefined {
  return listArtefacts(folder).artefacts.findLast(({ manifest }) => isIt(manifest));
}

/** Waits for other builds, and removes leftovers of killed ones. @returns the function that releases the lock */
async function takeTurn({ folder, clock, onProgress, signal }: BuildSite): Promise<() => void> {
  const builds = join(folder, BUILDS);
  try {
    makeFolders(builds);
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const release = tryDirectory(builds);
      if (release !== undefined) {
        for (const left of readdirSync(builds)) if (left !== LOCK_FILE) rmSync(join(builds, left), { recursive: true, force: true });
        return release;
      }
      if (look === 0) onProgress({ step: 'wait' });
      await clock.sleep(LOOK_PERIOD_MS, signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new BuildError(`artefacts can't be stored: ${error instanceof Error ? error.message : String(error)}`, { isRefusal: true });
  }
  throw new BuildError(
    `another process is building in ${builds}, and did not finish within ${(MAX_LOOKS * LOOK_PERIOD_MS) / 3_600_000} hours`,
  );
}

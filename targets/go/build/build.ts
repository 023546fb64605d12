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

/** Where builds are made, within the folder of artefacts: one at a time, since each takes gigabytes of memory. */
const BUILDS = '.builds';
/** Between two looks whether somebody else's build is over, and how many at most: two hours. */
const LOOK_PERIOD_MS = 500;
const MAX_LOOKS = 14_400;

/**
 * Builds a Go program for the wasm host, or finds what was built of the same.
 * @throws BuildError that says what to do; OverlayError and WasmError where the toolchain is not as it is known; the signal's reason
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

/** Waits for other builds, and removes what killed ones left. @returns what lets the next one go on */
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
    throw new BuildError(`artefacts can't be kept: ${error instanceof Error ? error.message : String(error)}`, { isRefusal: true });
  }
  throw new BuildError(`another process builds in ${builds}, and was waited for for ${(MAX_LOOKS * LOOK_PERIOD_MS) / 3_600_000} hours`);
}

import { LoadError } from '../harness/load-error.ts';
import { SOURCES_DIRECTORY } from '../harness/load.ts';
import { readMix } from './read-mix.ts';
import { manifestScenarios } from './suite.ts';

/**
 * The scenarios for a directory of manifests, as a module: `scenarios.ts?dir=PATH`, for targets that apply EC2NodeClasses with
 * `&classes=applied`. Those that the manifests have no use for are undefined.
 */
const { searchParams } = new URL(import.meta.url);
const directory = searchParams.get(SOURCES_DIRECTORY);
if (directory === null) throw new LoadError('manifests/scenarios must be loaded with the directory of the manifests, as ?dir=PATH');
/** The content of the directory. */
export const mix = await readMix(directory, { appliesClasses: searchParams.get('classes') === 'applied' });

/** The files that the scenarios are made from. */
export const { sources } = mix;

export const {
  faultFree,
  scheduledJobs,
  jobSchedules,
  loadPeak,
  noSpot,
  zoneOutage,
  lostLaunchAnswers,
  throttledLaunches,
  killedAtSideEffect,
  slowKubelets,
  spotInterruption,
  poolsWithdrawn,
  idleNodes,
} = manifestScenarios(mix);

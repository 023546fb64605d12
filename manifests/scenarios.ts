import { LoadError } from '../harness/load-error.ts';
import { readMix } from './read-mix.ts';
import { manifestScenarios } from './suite.ts';

/**
 * The scenarios over a directory of manifests, as a module like any other: `scenarios.ts?dir=PATH`. Those that the mix
 * gives no reason for are undefined.
 */
const directory = new URL(import.meta.url).searchParams.get('dir');
if (directory === null) throw new LoadError('manifests/scenarios is loaded with the directory of the manifests, as ?dir=PATH');
/** What the directory holds. */
export const mix = await readMix(directory);

/** The files that the scenarios are made from. */
export const { sources } = mix;

export const {
  faultFree,
  noSpot,
  zoneOutage,
  lostLaunchAnswers,
  throttledLaunches,
  killedAtSideEffect,
  slowKubelets,
  spotInterruption,
  poolsWithdrawn,
} = manifestScenarios(mix);

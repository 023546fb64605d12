import type { TargetConstants } from '../targets/target.ts';
import { resolveBounds } from './bounds.ts';
import type { BoundInputs } from './bounds.ts';
import type { WorldChoice } from './world-for.ts';

/** No trial in real time may take longer, whatever constants its target declares. */
const MAX_REAL_TRIAL_MS = 6 * 3_600_000;
/** For setting up and stopping, in addition to the bounds. */
const MARGIN_MS = 120_000;

/**
 * Longest that a trial in real time may take: a scenario may wait for each of its bounds, and then the world has to settle
 * and be emptied. Undefined in virtual time, where it depends on the machine only.
 */
export function realTimeLimitMs(
  constants: TargetConstants,
  world: Pick<WorldChoice, 'time' | 'facts'>,
  size: Pick<BoundInputs, 'nodes' | 'offerings' | 'pools' | 'mostNodes' | 'podStopMs'>,
): number | undefined {
  if (world.time !== 'real') return undefined;
  const bounds = Object.values(resolveBounds({ constants, allowances: world.facts.allowances, ...size }));
  const sumMs = bounds.filter(({ unit }) => unit === 'ms').reduce((sum, { value }) => sum + value, 0);
  return Math.min(MAX_REAL_TRIAL_MS, MARGIN_MS + sumMs);
}

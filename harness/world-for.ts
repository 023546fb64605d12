import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import type { Timeline, TimelineHooks } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import type { Target } from '../targets/target.ts';
import { EMBEDDED, EMBEDDED_IN_REAL_TIME, createEmbeddedWorld } from '../world/embedded.ts';
import { QUICK_MACHINES } from '../world/machine-delays.ts';
import type { World, WorldSite } from '../world/world.ts';

/** Trials start here on the virtual clock: any fixed day would do, this one is in the catalogue's price list. */
const EPOCH_MS = Date.UTC(2026, 6, 1);

/** The world that a target is tried in. */
export interface WorldChoice {
  /** What is known of it before one is made. */
  readonly facts: Pick<World, 'name' | 'capabilities' | 'allowances'>;
  createTimeline(seed: number, hooks: TimelineHooks): Timeline;
  createWorld(site: WorldSite): World;
}

const VIRTUAL: WorldChoice = {
  facts: EMBEDDED,
  createTimeline: (seed, hooks) => createVirtualTimeline({ startMs: EPOCH_MS, random: createRandom(seed).fork('clock'), hooks }),
  createWorld: (site) => createEmbeddedWorld(site),
};

/** Who waits for machines in real time gets quick ones. */
const REAL: WorldChoice = {
  facts: EMBEDDED_IN_REAL_TIME,
  createTimeline: (_seed, hooks) => createRealTimeline(hooks),
  createWorld: (site) => createEmbeddedWorld(site, { delays: QUICK_MACHINES }),
};

/** The embedded world, in the target's time. */
export function worldFor({ time }: Pick<Target, 'time'>): WorldChoice {
  return time === 'real' ? REAL : VIRTUAL;
}

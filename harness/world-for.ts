import { readKubeconfig } from '../clients/kubeconfig.ts';
import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import type { Timeline, TimelineHooks } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import type { Target } from '../targets/target.ts';
import { EMBEDDED, EMBEDDED_IN_REAL_TIME, createEmbeddedWorld } from '../world/embedded.ts';
import { QUICK_MACHINES } from '../world/machine-delays.ts';
import { REAL, createRealWorld } from '../world/real/real.ts';
import type { World, WorldSite } from '../world/world.ts';

/** Trials start here on the virtual clock: any fixed day would do, this one is in the catalogue's price list. */
const EPOCH_MS = Date.UTC(2026, 6, 1);

/**
 * The world that trials run in, as plain data. `existing`: a cluster of the user's, by a kubeconfig of its administrator, and
 * perhaps a LocalStack, by its URL, where machines and the interruption queue are. `kind`: the same, but the cluster is the run's
 * own.
 */
export type WorldRef =
  { readonly kind: 'embedded' } | { readonly kind: 'existing' | 'kind'; readonly kubeconfig: string; readonly awsEndpoint?: string };

/** What makes the world of one trial. */
interface WorldMaker {
  createTimeline(seed: number, hooks: TimelineHooks): Timeline;
  createWorld(site: WorldSite): World;
}

/** The world that a target is tried in. */
export interface WorldChoice {
  /** What is known of it before one is made. */
  readonly facts: Pick<World, 'name' | 'capabilities' | 'allowances'>;
  readonly time: 'virtual' | 'real';
  /** Reads what it is made from. @throws when that can't be read */
  prepare(): Promise<WorldMaker>;
}

const VIRTUAL: WorldChoice = {
  facts: EMBEDDED,
  time: 'virtual',
  prepare: () =>
    Promise.resolve({
      createTimeline: (seed, hooks) => createVirtualTimeline({ startMs: EPOCH_MS, random: createRandom(seed).fork('clock'), hooks }),
      createWorld: (site) => createEmbeddedWorld(site),
    }),
};

/** Who waits for machines in real time gets quick ones. */
const REAL_TIME: WorldChoice = {
  facts: EMBEDDED_IN_REAL_TIME,
  time: 'real',
  prepare: () =>
    Promise.resolve({
      createTimeline: (_seed, hooks) => createRealTimeline(hooks),
      createWorld: (site) => createEmbeddedWorld(site, { delays: QUICK_MACHINES }),
    }),
};

/** The world that is asked for, in its own time or, the embedded one, in the target's. */
export function worldFor({ time }: Pick<Target, 'time'>, ref: WorldRef = { kind: 'embedded' }): WorldChoice {
  if (ref.kind === 'embedded') return time === 'real' ? REAL_TIME : VIRTUAL;
  return {
    facts: { ...REAL, name: ref.kind },
    time: 'real',
    prepare: async () => {
      const access = await readKubeconfig(ref.kubeconfig);
      return {
        createTimeline: (_seed, hooks) => createRealTimeline(hooks),
        createWorld: (site) => ({
          ...createRealWorld(site, { access, ...(ref.awsEndpoint === undefined ? {} : { ec2: { endpoint: ref.awsEndpoint } }) }),
          name: ref.kind,
        }),
      };
    },
  };
}

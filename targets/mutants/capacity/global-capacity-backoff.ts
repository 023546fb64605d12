import type { Context } from '../../../controller/context.ts';
import type { Launcher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const PAUSE_MS = 180_000;

/** Launches like the correct one, but with one backoff for all launches. */
function withPauses({ runtime }: Context, right: Launcher): Launcher {
  let pausedUntilMs = 0;
  return {
    find: (claim) => right.find(claim),
    launch: async (claim) => {
      const waitMs = pausedUntilMs - runtime.clock.nowMs();
      if (waitMs > 0) return { kind: 'waiting', waitMs };
      const progress = await right.launch(claim);
      // The planted bug: a lack of capacity for one launch delays all others, whatever they need.
      if (progress.kind === 'impossible') pausedUntilMs = runtime.clock.nowMs() + PAUSE_MS;
      return progress;
    },
  };
}

export const globalCapacityBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:global-capacity-backoff',
    summary: 'launches nothing at all for three minutes after a launch that met no capacity',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, launcher: withPauses(context, right.launcher) };
    },
  }),
  resembles: 'launches without capacity blocked those of every other pool (karpenter#3198)',
  caughtBy: {
    scenario: 'capacity/zone-without-capacity',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/beside-*',
    seeds: 'every',
  },
};

import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const LONG_MS = 3_600_000;

export const ignoresStop: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignores-stop',
    summary: 'goes on when it is told to stop, until it is killed',
    makeParts: (context) => {
      const right = createParts(context);
      const sweep = async (): Promise<void> => {
        await right.repairer.sweep();
        // The planted bug: the wait between two rounds does not end with the process.
        await context.runtime.clock.sleep(LONG_MS);
      };
      return { ...right, repairer: { ...right.repairer, sweep } };
    },
  }),
  resembles: 'a controller did not react to SIGTERM, and its successor waited for the lease (gardener/gardener#2686)',
  caughtBy: { scenario: 'provisioning/scale-out-and-back', check: 'target-alive', code: 'not-stopped', object: 'target', seeds: 'every' },
};

import { driftOf } from '../../../controller/disruption/drift.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredTaintDrift: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-taint-drift',
    summary: 'does not detect changed taints of a pool, and leaves its nodes as they are',
    makeParts: (context) => {
      const right = createParts(context);
      const disruption = createDisruption(context, right, {
        driftOf: (claim, pool, nodeClass) => {
          const { template } = pool.spec;
          // The planted bug: taints are not compared.
          const spec = { ...template.spec, taints: [...(claim.spec.taints ?? [])] };
          return driftOf(claim, { ...pool, spec: { ...pool.spec, template: { ...template, spec } } }, nodeClass);
        },
      });
      return { ...right, disruption };
    },
  }),
  resembles: 'nodes were not replaced when the taints of their pool had changed (sighupio/distribution#338)',
  caughtBy: { scenario: 'consolidation/drifted-taints', check: 'scale-in', code: 'not-ended', object: 'instance/*', seeds: 'every' },
};

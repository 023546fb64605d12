import { CONDITION, isTrue } from '../../../controller/api.ts';
import { vetoOf } from '../../../controller/disruption/candidates.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const driftIgnoresDoNotDisrupt: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:drift-ignores-do-not-disrupt',
    summary: 'replaces drifted nodes even if they, or a pod on them, are marked as do-not-disrupt',
    makeParts: (context) => {
      const right = createParts(context);
      const disruption = createDisruption(context, right, {
        veto: (node, pods) => {
          const claim = context.state.claims.list().find(({ status }) => status?.providerID === node.spec?.providerID);
          // The planted bug: opt-outs are ignored for drifted nodes.
          return isTrue(claim?.status?.conditions, CONDITION.drifted) ? undefined : vetoOf(node, pods);
        },
      });
      return { ...right, disruption };
    },
  }),
  resembles: 'nodes with pods that must not be disrupted were replaced for drift (karpenter-provider-aws#7708)',
  caughtBy: {
    scenario: 'consolidation/drifted-do-not-disrupt-pod',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
  },
};

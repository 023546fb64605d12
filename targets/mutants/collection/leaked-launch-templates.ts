import { createParts } from '../../../controller/parts.ts';
import { createPoolKeeper } from '../../../controller/lifecycle/pool-keeper.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const leakedLaunchTemplates: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:leaked-launch-templates',
    summary: 'never deletes launch templates: each change of a pool leaves one more, until the account reaches its quota',
    makeParts: (context) => {
      const { templates } = context;
      const kept: typeof templates = {
        ensure: (nodeClass, claim, architecture) => templates.ensure(nodeClass, claim, architecture),
        distrust: () => templates.distrust(),
        // The planted bug: they are never deleted.
        deleteAll: () => Promise.resolve(),
      };
      return { ...createParts(context), poolKeeper: createPoolKeeper({ ...context, templates: kept }) };
    },
  }),
  resembles: 'launch templates leaked until MaxTemplateLimitExceeded (karpenter-provider-aws#8686)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'no-leaked-templates',
    code: 'leaked-launch-template',
    object: 'launchtemplate/*',
    seeds: 'every',
  },
};

import { nodePoolOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import type { ClaimOfferings } from '../../../controller/launch/claim-offerings.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { LABEL } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The offerings of a claim if only the pool gives the architecture, and nothing the types: any that is large enough. */
function ofAnyArchitecture({ state, claimOfferings: right }: Context): ClaimOfferings {
  return {
    of: (claim) => {
      const pool = state.pools.get(nodePoolOf(claim));
      const required = pool?.spec.template.spec.requirements ?? [];
      const isByPool = required.some(({ key, values }) => key === LABEL.arch && values?.length === 1);
      if (!isByPool || required.some(({ key }) => key === LABEL.instanceType)) return right.of(claim);
      // The planted bug: types are chosen again by the size of the claim, ignoring the plan.
      const requirements = claim.spec.requirements.filter(({ key }) => key !== LABEL.arch && key !== LABEL.instanceType);
      return right.of({ ...claim, spec: { ...claim.spec, requirements } });
    },
  };
}

export const ignoredArchitecture: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-architecture',
    summary: 'launches nodes of either architecture, whatever the pool allows, if the pool names no types',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, claimOfferings: ofAnyArchitecture(context) }),
    }),
  }),
  resembles: 'arm64 nodes were launched although their pool required amd64 (karpenter-provider-aws#1540, karpenter-provider-aws#8696)',
  caughtBy: {
    scenario: 'scheduling/unusual-spreads',
    check: 'launches-within-pools',
    code: 'launch-outside-pools',
    object: 'instance/*',
    seeds: 'every',
  },
};

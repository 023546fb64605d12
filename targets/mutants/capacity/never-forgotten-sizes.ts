import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import { createRegistrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** What a node of a type showed: the arguments of `learn`. */
type Lesson = Parameters<InstanceTypes['learn']>;

export const neverForgottenSizes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:never-forgotten-sizes',
    summary: 'assumes for ever that a type is as small as the smallest node that it ever saw: pods that need more are never served',
    makeParts: ({ instanceTypes, ...context }) => {
      const lessons: Lesson[] = [];
      const learn = (...lesson: Lesson): boolean => {
        lessons.push(lesson);
        return instanceTypes.learn(...lesson);
      };
      const remembered: InstanceTypes = {
        list: (settings) => instanceTypes.list(settings),
        get: (name, settings) => instanceTypes.get(name, settings),
        refresh: () => instanceTypes.refresh(),
        lacksPrices: () => instanceTypes.lacksPrices(),
        learn,
      };
      const right = createParts({ ...context, instanceTypes });
      return {
        ...right,
        registrar: createRegistrar({ ...context, instanceTypes: remembered }),
        simulator: {
          simulate: (input) => {
            // The planted bug: what a node showed once counts as if another one had shown it again.
            for (const lesson of lessons) instanceTypes.learn(...lesson);
            return right.simulator.simulate(input);
          },
        },
      };
    },
  }),
  resembles: 'a size that had been cached was never raised again, although nodes had more (karpenter-provider-aws#7590)',
  caughtBy: {
    scenario: 'capacity/smaller-for-a-while',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

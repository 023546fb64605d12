import type { ComparedScenarios } from '../../gate/comparison/compared-run.ts';

/** Of the bundled scenarios those that single figures of a comparison are of. */
export const COMPARED_SCENARIOS: ComparedScenarios = {
  scaleOut: ['provisioning/scale-out-and-back'],
  freeSize: ['provisioning/two-cycles'],
};

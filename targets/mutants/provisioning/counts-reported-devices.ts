import { isTrue } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { NodeCandidate, Simulator } from '../../../controller/scheduling/types.ts';
import { NVIDIA_GPU } from '../../../model/devices.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but with the GPUs that Ready nodes report. */
function asReported({ state }: Context, right: Simulator): Simulator {
  const withReported = (candidate: NodeCandidate): NodeCandidate => {
    const node = state.nodes.get(candidate.name);
    // The planted bug: a node becomes Ready before its device plugin has registered.
    if (!isTrue(node?.status?.conditions, 'Ready') || node?.status?.allocatable?.[NVIDIA_GPU] !== undefined) return candidate;
    return { ...candidate, free: { ...candidate.free, [NVIDIA_GPU]: 0 } };
  };
  return { simulate: (input) => right.simulate({ ...input, nodes: input.nodes.map(withReported) }) };
}

export const countsReportedDevices: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:counts-reported-devices',
    summary: 'believes that a Ready node without GPUs will never have any: it launches another one for the same pod',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: asReported(context, right.simulator) };
    },
  }),
  resembles: 'a second GPU node was launched before the device plugin of the first had registered (autoscaler#1949, autoscaler#3164)',
  caughtBy: {
    scenario: 'pools/gpus-offered-late',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, as if no pod used a port of its node. */
function withoutHostPorts(right: Simulator): Simulator {
  // The planted bug: two pods with the same host port can't share a node.
  const portless = (pod: Pod): Pod => ({
    ...pod,
    spec: { ...pod.spec, containers: pod.spec.containers.map((container) => ({ ...container, ports: [] })) },
  });
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.map(portless) }) };
}

export const ignoredHostPorts: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-host-ports',
    summary: 'ignores host ports: it plans pods with the same port on one node, where only one of them can run',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutHostPorts(right.simulator) };
    },
  }),
  resembles: 'nodes were launched without end for a pod whose host port was taken on each of them (karpenter#2083)',
  caughtBy: {
    scenario: 'scheduling/host-ports',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/proxy-*',
    seeds: 'every',
  },
};

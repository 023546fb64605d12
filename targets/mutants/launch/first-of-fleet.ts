import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** EC2 as if a fleet had one instance, however many claims share it. */
function firstOnly(ec2: Ec2Client): Ec2Client {
  return {
    ...ec2,
    createFleet: async (input) => {
      const output = await ec2.createFleet(input);
      const [first] = output.Instances ?? [];
      const [id] = first?.InstanceIds ?? [];
      const count = (output.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds).length;
      if (id === undefined) return output;
      // The planted bug: each claim of a shared launch takes the first instance of the answer.
      return { ...output, Instances: [{ ...first, InstanceIds: Array<string>(count).fill(id) }] };
    },
  };
}

export const firstOfFleet: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:first-of-fleet',
    summary: 'sends one request for several nodes, and records its first instance for each of them: the others have no node',
    makeParts: (context) => ({ ...createParts(context), launcher: createLauncher({ ...context, ec2: firstOnly(context.ec2) }) }),
  }),
  resembles: 'wrong numbers of nodes after launches were batched into fleets (karpenter-provider-aws#2164)',
  caughtBy: {
    scenario: 'provisioning/ten-pods-per-node',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};

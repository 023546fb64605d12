import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const TOKEN_DIGITS = 32;

export const doubleLaunch: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:double-launch',
    summary:
      'launches every fleet twice and leaves the second to garbage collection: nothing leaks, but everything is paid for twice for a while',
    makeParts: (context) => {
      const createFleet: Ec2Client['createFleet'] = async (input) => {
        const first = await context.ec2.createFleet(input);
        // The planted bug: a second launch, with a different token.
        await context.ec2.createFleet({ ...input, ClientToken: context.runtime.random.hex(TOKEN_DIGITS) });
        return first;
      };
      return { ...createParts(context), launcher: createLauncher({ ...context, ec2: { ...context.ec2, createFleet } }) };
    },
  }),
  resembles: 'two instances for one claim, one of them collected minutes later (karpenter-provider-aws#3725)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};

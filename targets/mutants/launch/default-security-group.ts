import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLaunchTemplates } from '../../../controller/launch/launch-templates.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const defaultSecurityGroup: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:default-security-group',
    summary: "launches nodes without the cluster's security group: they never reach the API server",
    makeParts: (context) => {
      const createLaunchTemplate: Ec2Client['createLaunchTemplate'] = (input) => {
        // The planted bug: EC2 puts such instances into the default group of the VPC.
        const { SecurityGroupIds: _groups, ...data } = input.LaunchTemplateData ?? {};
        return context.ec2.createLaunchTemplate({ ...input, LaunchTemplateData: data });
      };
      const templates = createLaunchTemplates(context.runtime.clock, { ...context.ec2, createLaunchTemplate }, context.cluster);
      return { ...createParts(context), launcher: createLauncher({ ...context, templates }) };
    },
  }),
  resembles: 'nodes stayed NotReady, and a user asked which security group their launch template needs (karpenter-provider-aws#2286)',
  caughtBy: {
    scenario: 'provisioning/scale-out-and-back',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};

import { expect, test } from '@playwright/test';
import { scaleproofHere } from '../testing/command.ts';

/** A line with a missing scenario: if its world is accepted, the scenario is the error. */
const lineOf = (world: string): string =>
  `sp1,scenario=no/such@0123456789ab,target=reference,seed=1,nodes=10,${world},catalogue=0123456789ab`;

const ACCEPTED = 'no scenario is named "no/such"';
const KUBECONFIG = '--kubeconfig x';

for (const [world, flags, says] of [
  ['world=kind,ec2=embedded', '', ACCEPTED],
  ['world=kind:real-nodes,ec2=localstack', '', ACCEPTED],
  ['world=existing,ec2=embedded,max-instances=7', KUBECONFIG, ACCEPTED],
  ['world=existing,ec2=embedded,mode=observed,max-instances=7', KUBECONFIG, ACCEPTED],
  ['world=embedded,ec2=localstack', '', '--ec2 is for --world kind and existing'],
  ['world=kind,mode=observed', '', '--mode is for --world existing'],
  ['world=kind,max-instances=3', '', '--max-instances is for --world existing'],
  ['world=existing,ec2=localstack', KUBECONFIG, '--ec2 localstack needs --aws-endpoint URL'],
  ['world=existing,ec2=localstack', `${KUBECONFIG} --ec2 embedded`, ACCEPTED],
  ['world=existing,ec2=embedded', `${KUBECONFIG} --aws-endpoint http://127.0.0.1:1`, ACCEPTED],
] as const) {
  test(`the line's world, unless flags name another: ${world} ${flags}`, async () => {
    const args = ['replay', lineOf(world), ...flags.split(' ').filter((flag) => flag !== '')];
    // LOCALSTACK_ENDPOINT in the tests' own environment must not count.
    const { code, stderr } = await scaleproofHere(args, '.', { LOCALSTACK_ENDPOINT: undefined });
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
}

import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateCommand, CreateSubnetCommand, CreateVpcCommand } from '@aws-sdk/client-ec2';
import { createEc2Commands } from '../../../clients/aws-commands.ts';
import { UNSIGNED, sdkConfig } from '../../../clients/aws-sdk.ts';
import { warmUp } from '../../../clients/ec2-sdk.ts';
import { loadCatalogue } from '../../../model/instance-catalogue.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline, createVirtualTimeline } from '../../../runtime/timeline.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import { createEc2 } from '../../../world/aws/ec2.ts';
import { CLUSTER } from '../aws/embedded.ts';
import { runScript } from './run-script.ts';
import type { Answer } from './run-script.ts';
import { TEMPLATE } from './script.ts';
import type { Script } from './script.ts';

/** Longer than a group takes to launch, to balance its zones, and to terminate. */
const SETTLE_MS = 300_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const CALLER = { principal: 'target', incarnation: 1, span: 0 } as const;
const { region } = CLUSTER;
const ENDPOINT = `https://autoscaling.${region}.amazonaws.com`;
const TIMEOUT_MS = 60_000;
const TEMPLATE_INPUT = {
  LaunchTemplateName: TEMPLATE,
  LaunchTemplateData: { ImageId: CLUSTER.imageIds.x86_64, InstanceType: 'm5.large' },
} as const;

/** Runs scripts on the emulated Auto Scaling, each in its own account. */
export async function runEmbedded(scripts: readonly Script[]): Promise<Answer[][]> {
  await warmUp();
  const answers: Answer[][] = [];
  for (const script of scripts) answers.push(await runOneEmbedded(script));
  return answers;
}

async function runOneEmbedded(script: Script): Promise<Answer[]> {
  const random = createRandom(script.id);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const recorder = { record: () => 0 };
  const readLag = { probability: 0, maxMs: 0 };
  const catalogue = loadCatalogue();
  const world = timeline.scope('world');
  const { backend, autoscaling } = createEc2({ clock: world, random: random.fork('ec2'), catalogue, cluster: CLUSTER, recorder, readLag });
  const clock = timeline.scope('client');
  const wireTo =
    (service: typeof backend | typeof autoscaling.backend): Wire =>
    (request) =>
      service.handle(request, service.describe(request), CALLER);
  const ec2 = createEc2Commands({ wire: wireTo(backend), clock, region });
  const config = sdkConfig({ wire: wireTo(autoscaling.backend), clock, region, timeoutMs: TIMEOUT_MS });
  const client = new AutoScalingClient({ ...config, endpoint: ENDPOINT, ...UNSIGNED });
  const send = ((command: Parameters<AutoScalingClient['send']>[0]) =>
    clock.call('autoscaling', () => client.send(command))) as AutoScalingClient['send'];
  const stopping = new AbortController();
  const work = async (): Promise<Answer[]> => {
    const running = autoscaling.controller.run(stopping.signal);
    await ec2.send(new CreateLaunchTemplateCommand(TEMPLATE_INPUT));
    const subnets = new Map(Object.entries(CLUSTER.subnets));
    const answers = await runScript(script, { send, subnets, settle: () => clock.sleep(SETTLE_MS) });
    stopping.abort(new Error('over'));
    await running;
    return answers;
  };
  try {
    return await timeline.run(work());
  } finally {
    ec2.destroy();
    client.destroy();
  }
}

/** Runs scripts on a moto server one after the other; it is emptied before each, and at the end. */
export async function runOnMoto(scripts: readonly Script[], url: string): Promise<Answer[][]> {
  const clock = createRealTimeline().scope('client');
  const { wire, destroy } = createHttpWire({ baseUrl: url });
  const reset = () => wire({ method: 'POST', path: '/moto-api/reset', headers: {} });
  // It finds the service in the signature.
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const ec2 = createEc2Commands({ wire, clock, region, credentials });
  const client = new AutoScalingClient({ ...sdkConfig({ wire, clock, region, timeoutMs: TIMEOUT_MS }), endpoint: ENDPOINT, credentials });
  const answers: Answer[][] = [];
  try {
    for (const script of scripts) {
      await reset();
      const { Vpc: vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
      const subnets = new Map<string, string>();
      for (const [index, AvailabilityZone] of Object.keys(CLUSTER.subnets).entries()) {
        const { Subnet: subnet } = await ec2.send(
          new CreateSubnetCommand({ VpcId: vpc?.VpcId, CidrBlock: `10.0.${index}.0/24`, AvailabilityZone }),
        );
        subnets.set(AvailabilityZone, subnet?.SubnetId ?? '');
      }
      await ec2.send(new CreateLaunchTemplateCommand(TEMPLATE_INPUT));
      // Its instances change state at once.
      answers.push(await runScript(script, { send: client.send.bind(client), subnets, settle: () => Promise.resolve() }));
    }
    await reset();
    return answers;
  } finally {
    ec2.destroy();
    client.destroy();
    destroy();
  }
}

import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { createEc2Commands, createSqsCommands } from '../../../clients/aws-commands.ts';
import { warmUp } from '../../../clients/ec2-sdk.ts';
import type { ClusterConfig } from '../../../model/cluster.ts';
import { loadCatalogue } from '../../../model/instance-catalogue.ts';
import type { Catalogue } from '../../../model/instance-catalogue.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../runtime/timeline.ts';
import type { Wire } from '../../../wire/wire.ts';
import { clusterTags } from '../../../world/aws/cluster-tags.ts';
import { createEc2 } from '../../../world/aws/ec2.ts';
import { AwsServices } from '../../../world/aws/services.ts';
import { SqsBackend } from '../../../world/aws/sqs/backend.ts';
import { Queues } from '../../../world/aws/sqs/queues.ts';
import { runScript } from './run-script.ts';
import type { Answer } from './run-script.ts';
import { QUEUE_NAME } from './script.ts';
import type { Script } from './script.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
/** Longer than any transitional state of an instance. */
const SETTLE_MS = 60_000;
const CALLER = { principal: 'target', incarnation: 1, span: 0 } as const;

/** The network of every account. */
export const CLUSTER: ClusterConfig = {
  name: 'differential',
  region: 'us-east-1',
  subnets: { 'us-east-1a': 'subnet-0000000a', 'us-east-1b': 'subnet-0000000b', 'us-east-1c': 'subnet-0000000c' },
  securityGroupId: 'sg-00000001',
  imageIds: { x86_64: 'ami-00000064', arm64: 'ami-000000a4' },
};
/** The tags of its subnets. */
export const SUBNET_TAGS = clusterTags(CLUSTER);

/** Runs scripts on the emulated EC2 and SQS, each in its own account. */
export async function runEmbedded(scripts: readonly Script[]): Promise<Answer[][]> {
  await warmUp();
  const catalogue = loadCatalogue();
  const answers: Answer[][] = [];
  for (const script of scripts) answers.push(await runOne(script, catalogue));
  return answers;
}

async function runOne(script: Script, catalogue: Catalogue): Promise<Answer[]> {
  const random = createRandom(script.id);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const world = timeline.scope('world');
  const { region } = CLUSTER;
  const recorder = { record: () => 0 };
  const readLag = { probability: 0, maxMs: 0 };
  const { backend: ec2 } = createEc2({ clock: world, random: random.fork('ec2'), catalogue, cluster: CLUSTER, recorder, readLag });
  const queues = new Queues({ region, clock: world, random: random.fork('queues') });
  const backend = new AwsServices({ ec2, sqs: new SqsBackend({ queues, clock: world, random: random.fork('request ids') }) });
  const wire: Wire = (request) => backend.handle(request, backend.describe(request), CALLER);
  const clock = timeline.scope('client');
  const commands = { wire, clock, region };
  const [toEc2, toSqs] = [createEc2Commands(commands), createSqsCommands(commands)];
  const subnets = Object.entries(CLUSTER.subnets).map(([zone, id]) => [`subnet ${zone}`, id] as const);
  const work = async (): Promise<Answer[]> => {
    const { QueueUrl = '' } = await toSqs.send(new CreateQueueCommand({ QueueName: QUEUE_NAME }));
    const { Subnets: [subnet] = [] } = await toEc2.send(new DescribeSubnetsCommand({}));
    const given = new Map([...subnets, ['vpc', subnet?.VpcId ?? ''] as const, ['queue', QueueUrl] as const]);
    return runScript(script, { ec2: toEc2, sqs: toSqs, given, settle: () => clock.sleep(SETTLE_MS) });
  };
  try {
    return await timeline.run(work());
  } finally {
    toEc2.destroy();
    toSqs.destroy();
  }
}

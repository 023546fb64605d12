import type { Recorder } from '../../history/events.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Backend } from '../../wire/backend.ts';
import type { InstancePort, QueuePort, SpotPort } from '../ports.ts';
import { EventBus } from './event-bus.ts';
import { SpotInterruptions } from './spot-interruptions.ts';
import { SqsBackend } from './sqs/backend.ts';
import { Queues } from './sqs/queues.ts';

/** Source: Karpenter's CloudFormation template, which keeps messages for five minutes. */
const RETENTION_S = 300;

/** SQS with the interruption queue, and what fills it. */
interface Interruptions {
  /** Serves SQS. */
  readonly backend: Backend;
  readonly queueUrl: string;
  readonly ports: { readonly spot: SpotPort; readonly queue: QueuePort };
}

/** Makes the interruption queue of a cluster, named as the cluster is, as Karpenter's guide has it. */
export function createInterruptions(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly instances: InstancePort;
  readonly cluster: { readonly name: string; readonly region: string };
}): Interruptions {
  const { clock, random, recorder, instances, cluster } = parts;
  const queues = new Queues({ region: cluster.region, clock, random: random.fork('queues') });
  const queue = queues.create(cluster.name, { MessageRetentionPeriod: String(RETENTION_S) });
  const bus = new EventBus({ clock, random: random.fork('events'), recorder, region: cluster.region, queue, instances });
  const spot = new SpotInterruptions({ clock, random: random.fork('spot'), instances, bus });
  const backend = new SqsBackend({ queues, clock, random: random.fork('request ids') });
  return { backend, queueUrl: queue.url, ports: { spot, queue: bus } };
}

import type { Recorder } from '../../history/events.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Backend } from '../../wire/backend.ts';
import type { InstancePort, QueuePort, SpotPort } from '../ports.ts';
import type { LifecycleAction } from './autoscaling/lifecycle-actions.ts';
import { EventBus } from './event-bus.ts';
import type { EventListener, MessageSink } from './event-bus.ts';
import { SpotInterruptions } from './spot-interruptions.ts';
import { SqsBackend } from './sqs/backend.ts';
import { Queues } from './sqs/queues.ts';

/** Source: Karpenter's CloudFormation template, which retains messages for five minutes. */
export const RETENTION_S = 300;

/** SQS with the interruption queue. */
export interface InterruptionQueue {
  /** Serves SQS. */
  readonly backend: Backend;
  readonly queueUrl: string;
  readonly queue: MessageSink;
}

/** SQS with the interruption queue, and what sends to it. */
interface Interruptions extends Omit<InterruptionQueue, 'queue'> {
  readonly ports: { readonly spot: SpotPort; readonly queue: QueuePort };
  /** Reports each event, whatever happens to its message. @returns a function that stops that */
  readonly onEvent: (listener: EventListener) => () => void;
  /** An instance of an Auto Scaling group waits for a hook. */
  readonly tellLifecycleAction: (action: LifecycleAction) => void;
}

/** The interruption queue of a cluster, in memory, named like the cluster, as in Karpenter's guide. */
function createQueue(clock: Clock, random: Random, cluster: { readonly name: string; readonly region: string }): InterruptionQueue {
  const queues = new Queues({ region: cluster.region, clock, random: random.fork('queues') });
  const queue = queues.create(cluster.name, { MessageRetentionPeriod: String(RETENTION_S) });
  return { backend: new SqsBackend({ queues, clock, random: random.fork('request ids') }), queueUrl: queue.url, queue };
}

/** Creates what sends to a cluster's interruption queue. @param parts.queue by default one in memory */
export function createInterruptions(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly instances: InstancePort;
  readonly cluster: { readonly name: string; readonly region: string };
  readonly queue?: InterruptionQueue;
}): Interruptions {
  const { clock, random, recorder, instances, cluster } = parts;
  const { backend, queueUrl, queue } = parts.queue ?? createQueue(clock, random, cluster);
  const bus = new EventBus({ clock, random: random.fork('events'), recorder, region: cluster.region, queue, instances });
  const spot = new SpotInterruptions({ clock, random: random.fork('spot'), instances, bus });
  return {
    backend,
    queueUrl,
    ports: { spot, queue: bus },
    onEvent: (listener) => bus.onEvent(listener),
    tellLifecycleAction: (action) => bus.tellLifecycleAction(action),
  };
}

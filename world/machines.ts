import { NEVER_REGISTERS } from '../history/events.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import type { Catalogue } from '../model/instance-catalogue.ts';
import type { Principal } from '../model/operation.ts';
import type { ClockScope } from '../runtime/clock.ts';
import type { Backend } from '../wire/backend.ts';
import { createAccountServices } from './aws/account-services.ts';
import { createEc2 } from './aws/ec2.ts';
import type { InstanceStore } from './aws/instance-store.ts';
import { createInterruptions } from './aws/interruptions.ts';
import type { InterruptionQueue } from './aws/interruptions.ts';
import { AwsServices } from './aws/services.ts';
import { CloudController } from './controllers/cloud-controller.ts';
import { CloudHolds } from './controllers/cloud-holds.ts';
import type { MachineDelays } from './machine-delays.ts';
import type { NodesSite } from './nodes/nodes-site.ts';
import { NodeFaults } from './nodes/node-faults.ts';
import { StartupAgent } from './nodes/startup-agent.ts';
import { TerminationHandlers } from './nodes/termination-handlers.ts';
import type { ClusterPort, FaultPorts } from './ports.ts';
import type { WorldPart } from './tasks.ts';
import type { WorldSite } from './world.ts';

/** The dependencies of machines. */
interface MachinesSite<Nodes extends WorldPart> extends Pick<WorldSite, 'random' | 'recorder'> {
  readonly catalogue: Catalogue;
  readonly cluster: ClusterConfig;
  readonly delays: MachineDelays;
  /** Whether EC2 takes any number of requests. By default not. */
  readonly unlimitedRequests?: boolean;
  /** Of the cluster that their nodes join. */
  readonly port: (principal: Principal) => ClusterPort;
  /** A clock of the world, for a named owner. */
  readonly scope: (owner: string) => ClockScope;
  /** Creates the part that turns instances into nodes. */
  readonly nodes: (site: NodesSite) => Nodes;
  /** The store of instances and the queue of messages. By default in memory. */
  readonly elsewhere?: { readonly store: InstanceStore; readonly queue: InterruptionQueue };
}

/** EC2 with its queue, and what runs on its instances: for any cluster that their nodes join. */
export interface Machines<Nodes extends WorldPart> {
  /** The cluster as targets should know it. */
  readonly cluster: ClusterConfig;
  /** Serves the AWS wire. */
  readonly backend: Backend;
  readonly nodes: Nodes;
  /** The parts that turn instances into nodes. */
  readonly parts: readonly WorldPart[];
  /** Completes new nodes, and removes those of terminated instances. */
  readonly cloudController: WorldPart;
  readonly ports: Omit<FaultPorts, 'watches' | 'processes'>;
}

/** Creates EC2 and SQS without messages and with only foreign instances, and nodes for future launches. */
export function createMachines<Nodes extends WorldPart>(site: MachinesSite<Nodes>): Machines<Nodes> {
  const { random, recorder, catalogue, cluster, delays, port, scope, elsewhere } = site;
  const ec2 = createEc2({
    clock: scope('ec2'),
    random: random.fork('ec2'),
    catalogue,
    cluster,
    recorder,
    delays: delays.instances,
    ...defined({ store: elsewhere?.store, unlimitedRequests: site.unlimitedRequests }),
  });
  const { instances } = ec2.ports;
  const interruptions = createInterruptions({
    clock: scope('sqs'),
    random: random.fork('interruptions'),
    recorder,
    instances,
    cluster,
    ...defined({ queue: elsewhere?.queue }),
  });
  ec2.autoscaling.onAction(interruptions.tellLifecycleAction);
  interruptions.onEvent((kind, instance) => {
    if (kind === 'rebalance') ec2.autoscaling.controller.rebalance(instance);
  });
  const account = createAccountServices({ clock: scope('account'), random: random.fork('account'), cluster, catalogue });
  const nodeFaults = new NodeFaults();
  const cloud = new CloudHolds();
  const nodes = site.nodes({
    port: port('node'),
    instances,
    clock: scope('kubelets'),
    random: random.fork('kubelets'),
    // An event type of the world's own: older readers know it and ignore it.
    onNeverRegisters: (id, why) => {
      recorder.record({
        type: 'said',
        by: 'log',
        about: `instance/${id}`,
        level: 'warn',
        reason: NEVER_REGISTERS,
        message: why,
        principal: 'node',
      });
    },
    clusterName: cluster.name,
    securityGroupId: cluster.securityGroupId,
    instanceType: (type) => catalogue.types.get(type),
    delays: delays.kubelets,
    faults: nodeFaults,
    onReboot: ec2.onReboot,
  });
  const handlers = new TerminationHandlers({
    port: port('node'),
    instances,
    clock: scope('termination-handlers'),
    random: random.fork('termination-handlers'),
    onEvent: interruptions.onEvent,
  });
  return {
    cluster: { ...cluster, interruptionQueueUrl: interruptions.queueUrl },
    backend: new AwsServices({ ec2: ec2.backend, sqs: interruptions.backend, autoscaling: ec2.autoscaling.backend, ...account }),
    nodes,
    parts: [
      ...ec2.others,
      ec2.autoscaling.controller,
      nodes,
      new StartupAgent({
        port: port('node'),
        clock: scope('startup-agent'),
        random: random.fork('startup-agent'),
        faults: { faults: nodeFaults, instances },
      }),
      handlers,
    ],
    cloudController: new CloudController({
      port: port('cloud'),
      instances,
      clock: scope('cloud'),
      random: random.fork('cloud'),
      holds: cloud,
    }),
    ports: { ...ec2.ports, ...interruptions.ports, nodes: nodeFaults, cloud, handlers },
  };
}

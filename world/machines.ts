import type { ClusterConfig } from '../model/cluster.ts';
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

/** What machines are made of. */
interface MachinesSite<Nodes extends WorldPart> extends Pick<WorldSite, 'random' | 'recorder'> {
  readonly catalogue: Catalogue;
  readonly cluster: ClusterConfig;
  readonly delays: MachineDelays;
  /** Of the cluster that their nodes join. */
  readonly port: (principal: Principal) => ClusterPort;
  /** A clock of the world's own, by its owner's name. */
  readonly scope: (owner: string) => ClockScope;
  /** Makes what turns instances into nodes. */
  readonly nodes: (site: NodesSite) => Nodes;
  /** Where instances live and messages wait. By default in memory. */
  readonly elsewhere?: { readonly store: InstanceStore; readonly queue: InterruptionQueue };
}

/** EC2 with its queue, and what runs on its instances: whatever cluster their nodes join. */
export interface Machines<Nodes extends WorldPart> {
  /** The cluster as targets are to know it. */
  readonly cluster: ClusterConfig;
  /** Serves the AWS wire. */
  readonly backend: Backend;
  readonly nodes: Nodes;
  /** What makes nodes of instances, and takes the nodes of dead ones away. */
  readonly parts: readonly WorldPart[];
  readonly ports: Omit<FaultPorts, 'watches' | 'processes'>;
}

/** Makes EC2 and SQS without messages and instances but somebody else's, and nodes of what will be launched. */
export function createMachines<Nodes extends WorldPart>(site: MachinesSite<Nodes>): Machines<Nodes> {
  const { random, recorder, catalogue, cluster, delays, port, scope, elsewhere } = site;
  const ec2 = createEc2({
    clock: scope('ec2'),
    random: random.fork('ec2'),
    catalogue,
    cluster,
    recorder,
    delays: delays.instances,
    ...(elsewhere === undefined ? {} : { store: elsewhere.store }),
  });
  const { instances } = ec2.ports;
  const interruptions = createInterruptions({
    clock: scope('sqs'),
    random: random.fork('interruptions'),
    recorder,
    instances,
    cluster,
    ...(elsewhere === undefined ? {} : { queue: elsewhere.queue }),
  });
  const account = createAccountServices({ clock: scope('account'), random: random.fork('account'), cluster });
  const nodeFaults = new NodeFaults();
  const cloud = new CloudHolds();
  const nodes = site.nodes({
    port: port('node'),
    instances,
    clock: scope('kubelets'),
    random: random.fork('kubelets'),
    log: () => undefined,
    clusterName: cluster.name,
    instanceType: (type) => catalogue.types.get(type),
    delays: delays.kubelets,
    faults: nodeFaults,
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
    backend: new AwsServices({ ec2: ec2.backend, sqs: interruptions.backend, ...account }),
    nodes,
    parts: [
      ...ec2.others,
      nodes,
      new StartupAgent({
        port: port('node'),
        clock: scope('startup-agent'),
        random: random.fork('startup-agent'),
        faults: { faults: nodeFaults, instances },
      }),
      handlers,
      new CloudController({ port: port('cloud'), instances, clock: scope('cloud'), random: random.fork('cloud'), holds: cloud }),
    ],
    ports: { ...ec2.ports, ...interruptions.ports, nodes: nodeFaults, cloud, handlers },
  };
}

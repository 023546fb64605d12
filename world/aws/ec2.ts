import type { Recorder } from '../../history/events.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Catalogue } from '../../model/instance-catalogue.ts';
import { Ec2Codec } from '../../protocols/ec2/codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Backend } from '../../wire/backend.ts';
import type { FaultPorts } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';
import { createAutoScaling } from './autoscaling/autoscaling.ts';
import type { AutoScaling } from './autoscaling/autoscaling.ts';
import { Ec2Backend } from './backend.ts';
import { Capacity } from './capacity.ts';
import { Fleets } from './fleets.ts';
import { FOREIGN_TAGS, ForeignInstance } from './foreign-instance.ts';
import { drawId } from './ids.ts';
import { InstanceFaults } from './instance-faults.ts';
import type { InstanceStore } from './instance-store.ts';
import { INSTANCE_DELAYS, Instances } from './instances.ts';
import type { InstanceDelays } from './instances.ts';
import { LaunchTemplates } from './launch-templates.ts';
import { Market } from './market.ts';
import { MemoryStore } from './memory-store.ts';
import { subnetsOf } from './network.ts';
import type { Account } from './operation.ts';
import { EC2_OPERATIONS } from './operations/table.ts';
import { Hostnames } from './hostnames.ts';
import { Quotas } from './quotas.ts';
import { READ_LAG } from './replica.ts';
import type { ReadLag } from './replica.ts';
import { RequestBuckets } from './request-buckets.ts';
import { Room } from './room.ts';
import { SubnetAddresses } from './subnet-addresses.ts';
import { TemplateFaults } from './template-faults.ts';

/** The dependencies and settings of an EC2 front. */
export interface Ec2Options {
  /** The world's own clock: it keeps running when a caller dies. */
  readonly clock: Clock;
  /** Source of prices, depths, ids and delays. */
  readonly random: Random;
  readonly catalogue: Catalogue;
  readonly cluster: ClusterConfig;
  readonly recorder: Recorder;
  /** By default in memory. */
  readonly store?: InstanceStore;
  /** By default INSTANCE_DELAYS. */
  readonly delays?: InstanceDelays;
  /** By default READ_LAG. */
  readonly readLag?: ReadLag;
  /** Whether CreateFleet uses RunInstances' resource tokens, which is not documented. By default not. */
  readonly fleetsTakeResources?: boolean;
  /** Whether an account may send any number of requests. By default not. */
  readonly unlimitedRequests?: boolean;
}

/** EC2 as one account in one region sees it: a service for the AWS wire, and the world's own handles on it. */
export interface Ec2 {
  readonly backend: Backend;
  readonly ports: Pick<
    FaultPorts,
    'throttle' | 'quota' | 'hostnames' | 'reads' | 'instances' | 'instanceFaults' | 'templates' | 'templateFaults'
  > & {
    readonly capacity: Capacity;
  };
  /** As `Instances.onReboot`. */
  onReboot(listener: (id: string) => void): () => void;
  /** Resources of others in the account, once it is run. */
  readonly others: readonly WorldPart[];
  readonly autoscaling: AutoScaling;
}

/** Creates an EC2 without instances or launch templates. */
export function createEc2(options: Ec2Options): Ec2 {
  const { clock, random, catalogue, cluster, recorder, delays = INSTANCE_DELAYS, readLag = READ_LAG } = options;
  const subnets = subnetsOf(cluster);
  const market = new Market(random.fork('market'), catalogue);
  const capacity = new Capacity((offering) => market.depth(offering));
  const store = options.store ?? new MemoryStore(random.fork('machines'), subnets);
  const hostnames = new Hostnames();
  const instances = new Instances({ clock, random: random.fork('delays'), recorder, store, delays, readLag, hostnames });
  const templates = new LaunchTemplates({ random: random.fork('launch templates'), clock, recorder, readLag });
  const quotas = new Quotas(new SubnetAddresses(subnets, store));
  instances.onChange((instance) => {
    quotas.addresses.observe(instance);
    hostnames.observe(instance);
  });
  const limits = { fleetsTakeResources: options.fleetsTakeResources ?? false, unlimited: options.unlimitedRequests ?? false };
  const buckets = new RequestBuckets(clock, { service: 'ec2', ...limits });
  const groupBuckets = new RequestBuckets(clock, { service: 'autoscaling', ...limits });
  const account: Account = {
    clock,
    random: random.fork('ids'),
    cluster,
    catalogue,
    network: { vpcId: drawId(random.fork('vpc'), 'vpc'), subnets },
    market,
    capacity,
    quotas,
    hostnames,
    room: new Room(capacity, quotas),
    instances,
    fleets: new Fleets(),
    templates,
  };
  const backend = new Ec2Backend({
    account,
    codec: new Ec2Codec(),
    random: random.fork('request ids'),
    operations: EC2_OPERATIONS,
    buckets,
  });
  const autoscaling = createAutoScaling({ account, random: random.fork('auto scaling'), recorder, buckets: groupBuckets });
  const reads = { instances: [instances.replica, autoscaling.reads], 'launch-templates': [templates.replica] };
  return {
    backend,
    ports: {
      capacity,
      throttle: {
        limit: (limit) => {
          const heals = [buckets.limit(limit), groupBuckets.limit(limit)];
          return () => heals.forEach((heal) => void heal());
        },
      },
      quota: quotas,
      hostnames,
      reads: {
        delay: ({ resources, ...delay }) => {
          const heals = resources.flatMap((resource) => reads[resource].map((one) => one.delay(delay)));
          return () => heals.forEach((heal) => void heal());
        },
      },
      instances,
      instanceFaults: new InstanceFaults(clock, instances),
      templates,
      templateFaults: new TemplateFaults(clock, templates),
    },
    autoscaling,
    onReboot: (listener) => instances.onReboot(listener),
    others: FOREIGN_TAGS.flatMap((tags, index) => {
      const subnet = subnets[index];
      return subnet === undefined
        ? []
        : [new ForeignInstance({ clock, random: random.fork(`foreign ${index}`), instances, store, subnet, tags })];
    }),
  };
}

import type { ClusterConfig } from '../../../model/cluster.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Wire } from '../../../wire/wire.ts';
import type { InstanceStore } from '../../aws/instance-store.ts';
import type { InterruptionQueue } from '../../aws/interruptions.ts';
import { subnetsOf } from '../../aws/network.ts';
import { LocalStackEndpoint, newAccount } from './endpoint.ts';
import { LocalStackQueue } from './queue.ts';
import { SqsFront } from './sqs-front.ts';
import { LocalStackStore } from './store.ts';

/** The machines and messages of one trial in LocalStack. */
export interface LocalStack {
  /** Twelve digits: the access key that selects it. */
  readonly account: string;
  readonly store: InstanceStore;
  readonly queue: InterruptionQueue;
  /** Creates network and queue. @throws LocalStackError when the endpoint can't be used */
  start(): Promise<void>;
  /** Terminates all instances, and removes network and queue. */
  stop(): Promise<void>;
}

/** The dependencies of a trial's part of LocalStack. */
export interface LocalStackSite {
  /** e.g. `http://127.0.0.1:4566` */
  readonly endpoint: string;
  /** Must outlive the trial: `stop` sends requests. */
  readonly clock: Clock;
  readonly random: Random;
  readonly cluster: ClusterConfig;
  readonly onFailure: (error: Error) => void;
  /** Called with the account before anything is created in it, so that it can be cleaned up after a kill. */
  readonly onAccount?: (account: string) => void;
  /** By default over sockets to the endpoint. */
  readonly wire?: Wire;
}

/** A new account in LocalStack, empty until it is started. */
export function createLocalStack({ endpoint: url, clock, random, cluster, onFailure, onAccount, wire }: LocalStackSite): LocalStack {
  const { name, region } = cluster;
  const endpoint = new LocalStackEndpoint({ url, region, clock, ...defined({ wire }) });
  const account = newAccount(random, clock.nowMs());
  const ec2 = endpoint.ec2(account);
  const sqs = endpoint.sqs(account);
  const store = new LocalStackStore({ ec2, subnets: subnetsOf(cluster), random: random.fork('addresses'), onFailure });
  const queue = new LocalStackQueue({ sqs, region, account, name, onFailure });
  const backend = new SqsFront({ server: endpoint.wire, queue, account, region, clock, random: random.fork('request ids') });
  return {
    account,
    store,
    queue: { backend, queueUrl: queue.url, queue },
    start: async () => {
      await endpoint.check();
      onAccount?.(account);
      await queue.start();
      await store.start();
    },
    stop: async () => {
      try {
        await store.stop();
        await queue.stop();
      } finally {
        ec2.destroy();
        sqs.destroy();
        endpoint.destroy();
      }
    },
  };
}

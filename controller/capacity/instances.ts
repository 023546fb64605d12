import type { Instance } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { Clock } from '../../runtime/clock.ts';
import { KARPENTER, clusterTag } from '../api.ts';
import { INSTANCE_BATCH_MAX, INSTANCE_BATCH_MS } from '../constants.ts';
import { Gather } from '../core/gather.ts';
import type { Metrics } from '../metrics.ts';
import { EVERY_POOL } from '../scope.ts';
import type { PoolScope } from '../scope.ts';

/** States of an instance that still costs money, or may again. */
const LIVE_STATES: readonly string[] = ['pending', 'running', 'stopping', 'stopped'];

/** Instances as the autoscaler sees them: every read goes to EC2, but EC2's reads may be stale. */
export interface Instances {
  /** One instance in any state; undefined if EC2 does not list it, which soon after a launch proves nothing. */
  find(id: string): Promise<Instance | undefined>;
  /** Instances in any state that were launched for this claim alone, by their tag. */
  findByClaim(claimName: string): Promise<Instance[]>;
  /** Instances in any state that were launched for several claims by one request, by the tag with its token. */
  findByLaunch(token: string): Promise<Instance[]>;
  /**
   * All instances of this cluster's autoscaler that are live or shutting down; complete, or it throws. Instances whose tags name
   * no pool, or one out of scope, are not included: what is not listed is not collected.
   */
  listOwned(): Promise<Instance[]>;
  /** Tells EC2 to terminate an instance. Also resolves if EC2 does not know it. */
  terminate(id: string): Promise<void>;
}

/** Reads and terminations of single instances are batched for a moment, so that many claims share one request. */
export function createInstances(
  clock: Clock,
  ec2: Ec2Client,
  clusterName: string,
  metrics: Pick<Metrics, 'batchWindow' | 'batchSize'>,
  scope: PoolScope = EVERY_POOL,
): Instances {
  const distinct = (batcher: string, items: readonly string[]): string[] => {
    const ids = [...new Set(items)];
    metrics.batchSize.observe(ids.length, { batcher });
    metrics.batchWindow.observe(INSTANCE_BATCH_MS / 1_000, { batcher });
    return ids;
  };
  const owned = [
    { Name: `tag:${clusterTag(clusterName)}`, Values: ['owned'] },
    { Name: `tag:${KARPENTER.clusterTag}`, Values: [clusterName] },
  ];
  const window = { idleMs: INSTANCE_BATCH_MS, maxItems: INSTANCE_BATCH_MAX };
  const finds = new Gather(clock, window, async (items: readonly string[]) => {
    const ids = distinct('describe_instances', items);
    const found = await ec2.describeInstances({ Filters: [{ Name: 'instance-id', Values: ids }] });
    return new Map(found.map((instance) => [instance.InstanceId ?? '', instance]));
  });
  const launches = new Gather(clock, window, async (tokens: readonly string[]) => {
    const found = await ec2.describeInstances({ Filters: [...owned, { Name: `tag:${KARPENTER.launch}`, Values: [...new Set(tokens)] }] });
    return Map.groupBy(found, (instance) => tagOf(instance, KARPENTER.launch) ?? '');
  });
  const terminations = new Gather(clock, window, (ids: readonly string[]) => terminateAll(ec2, distinct('terminate_instances', ids)));
  return {
    find: async (id) => (await finds.add(id)).get(id),
    findByClaim: (claimName) => ec2.describeInstances({ Filters: [...owned, { Name: `tag:${KARPENTER.nodeClaim}`, Values: [claimName] }] }),
    findByLaunch: async (token) => (await launches.add(token)).get(token) ?? [],
    listOwned: async () => {
      const listed = await ec2.describeInstances({
        Filters: [
          ...owned,
          { Name: 'tag-key', Values: [KARPENTER.nodePool] },
          { Name: 'instance-state-name', Values: [...LIVE_STATES, 'shutting-down'] },
        ],
        MaxResults: 1_000,
      });
      return listed.filter((instance) => scope.owns(tagOf(instance, KARPENTER.nodePool) ?? ''));
    },
    terminate: (id) => terminations.add(id),
  };
}

export function tagOf(instance: Instance, key: string): string | undefined {
  return instance.Tags?.find((tag) => tag.Key === key)?.Value;
}

/** Whether an instance still has to be terminated. */
export function isLive(instance: Instance): boolean {
  return LIVE_STATES.includes(instance.State?.Name ?? '');
}

/** Whether an instance is terminated or shutting down, according to EC2. */
export function isEnding(instance: Instance): boolean {
  return instance.State?.Name === 'shutting-down' || instance.State?.Name === 'terminated';
}

/** A single unknown id makes a whole TerminateInstances fail: then each id is sent separately. */
async function terminateAll(ec2: Ec2Client, ids: readonly string[]): Promise<void> {
  try {
    await ec2.terminateInstances(ids);
  } catch (error) {
    if (!(error instanceof Ec2Error) || !error.code.startsWith('InvalidInstanceID')) throw error;
    if (ids.length === 1) return;
    for (const id of ids) await terminateAll(ec2, [id]);
  }
}

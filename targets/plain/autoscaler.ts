import type { Instance } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { KubeEvent, Node, Pod } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { planScaleUp } from './plan.ts';
import type { Upcoming } from './plan.ts';
import { CONFIG_MAP, fromConfigMap } from './groups.ts';
import type { ConfigMap, Group } from './groups.ts';
import { GROUP_TAG, ensureLaunchTemplate, launch } from './launch.ts';
import type { Shape } from './plan.ts';

/** The periods of `plain`. */
export const PLAIN = {
  scanMs: 10_000,
  emptyAfterMs: 60_000,
  registrationTimeoutMs: 900_000,
  unavailableMs: 180_000,
} as const;

/** What the autoscaler is made of. */
interface PlainSite {
  readonly runtime: Runtime;
  readonly kube: KubeClient;
  readonly ec2: Ec2Client;
  readonly cluster: ClusterConfig;
}

/** What one look at the world saw. */
interface Look {
  readonly groups: readonly Group[];
  readonly pods: readonly Pod[];
  readonly nodeByInstance: ReadonlyMap<string, Node>;
  readonly instances: readonly Instance[];
}

/**
 * A minimal autoscaler of fixed groups: every 10 s it looks at everything, launches instances for pods that no node
 * takes, and ends those that nobody needs. It remembers nothing that it could not do without: what exists is what EC2
 * says with the group's tag, so neither a crash nor a lost answer makes it forget an instance.
 */
export class PlainAutoscaler {
  readonly #site: PlainSite;
  readonly #shapes = new Map<string, Shape>();
  readonly #emptySinceMs = new Map<string, number>();
  readonly #unavailableUntilMs = new Map<string, number>();
  readonly #explained = new Set<string>();

  constructor(site: PlainSite) {
    this.#site = site;
  }

  /** Scans until it is asked to stop. @param onFirstScan called after the first scan that succeeded */
  async run(onFirstScan: () => void): Promise<void> {
    const { clock, signal, log } = this.#site.runtime;
    while (!signal.aborted) {
      try {
        await this.#scan();
        onFirstScan();
      } catch (error) {
        if (!(error instanceof KubeError || error instanceof Ec2Error)) throw error;
        log('error', `scan failed: ${error.message}`);
      }
      await clock.sleep(PLAIN.scanMs, signal).catch(() => undefined);
    }
  }

  async #scan(): Promise<void> {
    const look = await this.#look();
    await this.#scaleUp(look);
    await this.#scaleDown(look);
  }

  async #look(): Promise<Look> {
    const { kube, ec2 } = this.#site;
    const groups = fromConfigMap(await kube.get<ConfigMap>({ type: RESOURCES.configmaps, ...CONFIG_MAP }));
    const [pods, nodes, instances] = await Promise.all([
      kube.list<Pod>(RESOURCES.pods),
      kube.list<Node>(RESOURCES.nodes),
      ec2.describeInstances({
        Filters: [
          { Name: 'tag-key', Values: [GROUP_TAG] },
          { Name: 'instance-state-name', Values: ['pending', 'running'] },
        ],
      }),
    ]);
    const nodeByInstance = new Map(nodes.map((node) => [parseProviderId(node.spec?.providerID) ?? '', node]));
    return { groups, pods, nodeByInstance, instances };
  }

  async #scaleUp(look: Look): Promise<void> {
    const { clock } = this.#site.runtime;
    const pending = look.pods.filter(isUnschedulable);
    if (pending.length === 0) return;
    const available = look.groups.filter(({ name }) => (this.#unavailableUntilMs.get(name) ?? 0) <= clock.nowMs());
    // A node that has no pods yet may be about to take those that are pending.
    const upcoming = look.instances.flatMap((instance): Upcoming[] => {
      const group = look.groups.find(({ name }) => name === groupOf(instance));
      const node = look.nodeByInstance.get(instance.InstanceId ?? '');
      return group === undefined || (node !== undefined && isOccupied(node, look.pods)) ? [] : [{ group }];
    });
    const sizes = new Map(available.map(({ name }) => [name, look.instances.filter((one) => groupOf(one) === name).length]));
    const plan = planScaleUp({ pending, groups: available, sizes, upcoming, shapeOf: await this.#shapesOf(look.groups) });
    for (const { pod, why } of plan.unserved) await this.#explain(pod, why);
    for (const [group, count] of plan.launches) await this.#launch(group, count);
  }

  async #launch(group: Group, count: number): Promise<void> {
    const { runtime, ec2, cluster } = this.#site;
    await ensureLaunchTemplate(ec2, group, cluster);
    const errors = await launch(ec2, { group, count, cluster, token: runtime.random.hex(32) });
    if (errors.length === 0) return;
    runtime.log('warn', `group ${group.name} could not grow as asked`, { errors: errors.join('; ') });
    this.#unavailableUntilMs.set(group.name, runtime.clock.nowMs() + PLAIN.unavailableMs);
  }

  async #scaleDown(look: Look): Promise<void> {
    const { clock } = this.#site.runtime;
    const doomed: string[] = [];
    for (const instance of look.instances) {
      const id = instance.InstanceId ?? '';
      const node = look.nodeByInstance.get(id);
      const isOrphan = !look.groups.some(({ name }) => name === groupOf(instance));
      const ageMs = clock.nowMs() - (instance.LaunchTime?.getTime() ?? 0);
      if (node === undefined) {
        if (isOrphan || ageMs > PLAIN.registrationTimeoutMs) doomed.push(id);
      } else if (await this.#isDisposable(node, look, isOrphan)) {
        doomed.push(id);
      }
    }
    if (doomed.length > 0) await this.#site.ec2.terminateInstances(doomed);
  }

  /** Whether a node was empty for long enough and, cordoned, still is. */
  async #isDisposable(node: Node, look: Look, isOrphan: boolean): Promise<boolean> {
    const { runtime, kube } = this.#site;
    const name = node.metadata.name ?? '';
    if (isOccupied(node, look.pods)) {
      this.#emptySinceMs.delete(name);
      if (isOrphan) await this.#drain(name, look.pods);
      return false;
    }
    const sinceMs = this.#emptySinceMs.get(name) ?? runtime.clock.nowMs();
    this.#emptySinceMs.set(name, sinceMs);
    if (!isOrphan && runtime.clock.nowMs() - sinceMs < PLAIN.emptyAfterMs) return false;
    await this.#cordon(name);
    return !isOccupied(node, await kube.list<Pod>(RESOURCES.pods));
  }

  async #drain(name: string, pods: readonly Pod[]): Promise<void> {
    await this.#cordon(name);
    for (const { metadata } of pods.filter((pod) => pod.spec.nodeName === name && isOccupying(pod))) {
      if (metadata.deletionTimestamp !== undefined) continue;
      await this.#site.kube.evict(metadata.namespace ?? 'default', metadata.name ?? '').catch((error: unknown) => {
        this.#site.runtime.log('warn', `pod ${metadata.name ?? ''} can't be evicted yet: ${String(error)}`);
      });
    }
  }

  async #cordon(name: string): Promise<void> {
    await this.#site.kube.patch({ type: RESOURCES.nodes, name }, { spec: { unschedulable: true } });
  }

  async #shapesOf(groups: readonly Group[]): Promise<(type: string) => Shape | undefined> {
    const unknown = [...new Set(groups.map(({ instanceType }) => instanceType))].filter((type) => !this.#shapes.has(type));
    if (unknown.length > 0) {
      const types = await this.#site.ec2.describeInstanceTypes({ InstanceTypes: unknown as never[] });
      for (const { InstanceType, VCpuInfo, MemoryInfo } of types) {
        this.#shapes.set(InstanceType ?? '', { vcpu: VCpuInfo?.DefaultVCpus ?? 0, memoryMiB: MemoryInfo?.SizeInMiB ?? 0 });
      }
    }
    return (type) => this.#shapes.get(type);
  }

  /** Says once why a pod is not served. */
  async #explain(pod: Pod, why: string): Promise<void> {
    const { name = '', namespace = 'default', uid = '' } = pod.metadata;
    if (this.#explained.has(uid)) return;
    this.#explained.add(uid);
    this.#site.runtime.log('warn', `pod ${namespace}/${name} is not served: ${why}`);
    const event: KubeEvent & { metadata: { generateName: string } } = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      reason: 'NotTriggerScaleUp',
      message: `pod didn't trigger scale-up: ${why}`,
      type: 'Normal',
      source: { component: 'plain' },
    };
    await this.#site.kube.create(RESOURCES.events, event);
  }
}

function groupOf(instance: Instance): string | undefined {
  return instance.Tags?.find(({ Key }) => Key === GROUP_TAG)?.Value;
}

function isUnschedulable(pod: Pod): boolean {
  return (
    pod.spec.nodeName === undefined &&
    pod.metadata.deletionTimestamp === undefined &&
    pod.status?.conditions?.some(
      ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
    ) === true
  );
}

function isOccupied(node: Node, pods: readonly Pod[]): boolean {
  return pods.some((pod) => pod.spec.nodeName === node.metadata.name && isOccupying(pod));
}

/** Whether a pod keeps its node from being empty. */
function isOccupying(pod: Pod): boolean {
  const isDaemon = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true;
  return !isDaemon && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

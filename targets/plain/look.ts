import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { conditionOf } from '../../model/conditions.ts';
import type { DaemonSet, Node, Pod } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { attempt } from './attempt.ts';
import { CONFIG_MAP, fromConfigMap } from './groups.ts';
import type { ConfigMap, Group } from './groups.ts';
import type { Launches } from './launches.ts';
import type { Machines } from './machines.ts';
import type { Machine } from './machine.ts';

/** The state of the world at one look. */
export interface Look {
  readonly nowMs: number;
  readonly groups: ReadonlyMap<string, Group>;
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly daemonSets: readonly DaemonSet[];
  /** The instances that EC2 lists, and those that it does not list yet. */
  readonly machines: readonly Machine[];
  /** By instance id, because names may be reused. */
  readonly nodeOf: ReadonlyMap<string, Node>;
  /** Instances that were ever nodes: a kubelet registers only once. */
  readonly joined: ReadonlySet<string>;
}

/** Reads the world, and remembers EC2's last list: the next one may fail just when instances are lost. */
export class Lookout {
  readonly #runtime: Runtime;
  readonly #kube: KubeClient;
  readonly #ec2: Machines;
  readonly #launches: Launches;
  #listed: readonly Machine[] | undefined;
  #joined: ReadonlySet<string> = new Set();

  constructor(runtime: Runtime, kube: KubeClient, ec2: Machines, launches: Launches) {
    this.#runtime = runtime;
    this.#kube = kube;
    this.#ec2 = ec2;
    this.#launches = launches;
  }

  /** @throws KubeError, ConfigError, and Ec2Error as long as EC2 has never responded */
  async look(): Promise<Look> {
    const nowMs = this.#runtime.clock.nowMs();
    await this.#launches.load();
    const [config, pods, nodes, daemonSets, listed] = await Promise.all([
      this.#kube.get<ConfigMap>({ type: RESOURCES.configmaps, ...CONFIG_MAP }),
      this.#kube.list<Pod>(RESOURCES.pods),
      this.#kube.list<Node>(RESOURCES.nodes),
      this.#kube.list<DaemonSet>(RESOURCES.daemonsets),
      this.#list(),
    ]);
    const groups = new Map(fromConfigMap(config).map((group) => [group.name, group]));
    const { log } = this.#runtime;
    if (listed !== undefined) {
      const seen = new Set(listed.map(({ id }) => id));
      const names = new Set(groups.keys());
      await attempt(log, 'launches could not be settled', () => this.#launches.settle({ seen, groups: names, nowMs }));
      this.#listed = listed;
    }
    const known = this.#listed ?? [];
    const shown = new Set(known.map(({ id }) => id));
    const machines = [...known, ...this.#launches.machines().filter(({ id }) => !shown.has(id))];
    const nodeOf = new Map(
      nodes.flatMap((node): [string, Node][] => {
        const id = parseProviderId(node.spec?.providerID);
        return id === undefined ? [] : [[id, node]];
      }),
    );
    const isJoined = ({ id }: Machine): boolean => this.#joined.has(id) || hasKubelet(nodeOf.get(id));
    this.#joined = new Set(machines.filter(isJoined).map(({ id }) => id));
    return { nowMs, groups, pods, nodes, daemonSets, machines, nodeOf, joined: this.#joined };
  }

  async #list(): Promise<Machine[] | undefined> {
    if (this.#listed === undefined) return this.#ec2.list();
    return attempt(this.#runtime.log, 'instances could not be listed', () => this.#ec2.list());
  }
}

export function isReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

/** When the node last became Ready; infinite for one that is not Ready, or has no time. */
export function readySinceMs(node: Node): number {
  const ready = conditionOf(node, 'Ready');
  return ready?.status === 'True' && ready.lastTransitionTime !== undefined ? Date.parse(ready.lastTransitionTime) : Infinity;
}

export function createdMs({ metadata }: Node): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** Whether a kubelet has reported the node's capacity. */
export function hasKubelet(node: Node | undefined): boolean {
  return node?.status?.allocatable?.['cpu'] !== undefined;
}

import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { Node, Pod } from '../../model/kube.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { attempt } from './attempt.ts';
import { isReady } from './look.ts';
import type { Look } from './look.ts';
import type { Machines } from './machines.ts';
import type { Machine } from './machine.ts';
import { PLAIN } from './periods.ts';
import { occupantsOf } from './pods.ts';

/** Marks a node that this autoscaler cordoned: if pods are still found there, the cordon is undone. */
const LEAVING = 'plain-autoscaler/leaving';
/** An empty node that has waited this long for expected pods won't get them. */
const EXPECTED_FOR_MS = 3 * PLAIN.emptyAfterMs;

/** Whether this autoscaler has cordoned a node to remove it. */
export function isLeaving({ metadata }: Node): boolean {
  return metadata.annotations?.[LEAVING] !== undefined;
}

/** Terminates unneeded instances: empty nodes, those that never became a node, and those of no group. */
export class ScaleDown {
  readonly #runtime: Runtime;
  readonly #kube: KubeClient;
  readonly #machines: Machines;
  /** By the node's uid. */
  readonly #emptySinceMs = new Map<string, number>();
  /** The last node of an instance, and since when it is missed, by the instance's id. */
  readonly #nodes = new Map<string, { readonly node: Node; readonly missedSinceMs?: number }>();

  constructor(runtime: Runtime, kube: KubeClient, machines: Machines) {
    this.#runtime = runtime;
    this.#kube = kube;
    this.#machines = machines;
  }

  /** @param awaited names of nodes that are about to get pods. @throws KubeError, Ec2Error */
  async run(look: Look, awaited: ReadonlySet<string>): Promise<void> {
    this.#forgetGone(look);
    const ending: string[] = [];
    const emptied: { readonly id: string; readonly node: Node }[] = [];
    for (const machine of look.machines) {
      if (machine.state === 'over') continue;
      const node = look.nodeOf.get(machine.id);
      if (machine.state === 'stopped' || node === undefined) {
        if (machine.state === 'stopped' || this.#isLost(machine, look)) ending.push(machine.id);
        continue;
      }
      this.#nodes.set(machine.id, { node });
      if (await this.#isToGo(machine, node, look, awaited)) emptied.push({ id: machine.id, node });
    }
    ending.push(...(await this.#closeAll(emptied)));
    if (ending.length > 0) await this.#machines.end(ending);
  }

  /** Keeps memory bounded: nodes are created and removed as long as this runs. */
  #forgetGone({ nodes, machines }: Look): void {
    const present = new Set(nodes.map(({ metadata }) => metadata.uid));
    for (const uid of this.#emptySinceMs.keys()) if (!present.has(uid)) this.#emptySinceMs.delete(uid);
    const ids = new Set(machines.map(({ id }) => id));
    for (const id of this.#nodes.keys()) if (!ids.has(id)) this.#nodes.delete(id);
  }

  /** Whether an instance without a node will never be one, or is no longer wanted. Where somebody deleted the Node pods run on for a while. */
  #isLost({ id, group, launchedMs }: Machine, { groups, joined, pods, nowMs }: Look): boolean {
    if (!groups.has(group)) return true;
    const known = this.#nodes.get(id);
    if (!joined.has(id)) return nowMs - launchedMs >= PLAIN.registrationTimeoutMs;
    if (known === undefined) return true;
    const { node, missedSinceMs = nowMs } = known;
    this.#nodes.set(id, { node, missedSinceMs });
    return occupantsOf(node, pods, nowMs).length === 0 || nowMs - missedSinceMs >= PLAIN.registrationTimeoutMs;
  }

  async #isToGo(machine: Machine, node: Node, { groups, pods, nowMs }: Look, awaited: ReadonlySet<string>): Promise<boolean> {
    const { name = '', uid = '' } = node.metadata;
    const isWanted = groups.has(machine.group);
    const occupants = occupantsOf(node, pods, nowMs);
    if (occupants.length > 0) {
      this.#emptySinceMs.delete(uid);
      if (!isWanted) await this.#drain(node, occupants);
      else if (isLeaving(node)) await this.#reopen(node);
      return false;
    }
    if (!isWanted || isLeaving(node)) return true;
    // It may still come up, until the registration timeout.
    if (!isReady(node)) return nowMs - machine.launchedMs >= PLAIN.registrationTimeoutMs;
    const sinceMs = this.#emptySinceMs.get(uid) ?? nowMs;
    this.#emptySinceMs.set(uid, sinceMs);
    return nowMs - sinceMs >= (awaited.has(name) ? EXPECTED_FOR_MS : PLAIN.emptyAfterMs);
  }

  /** Cordons empty nodes, and checks again. @returns the instances of those that are still empty */
  async #closeAll(emptied: readonly { readonly id: string; readonly node: Node }[]): Promise<string[]> {
    if (emptied.length === 0) return [];
    const closed = await Promise.all(emptied.map(async (one) => ({ ...one, isClosed: await this.#cordon(one.node) })));
    const pods = await this.#kube.list<Pod>(RESOURCES.pods);
    const ending: string[] = [];
    for (const { id, node, isClosed } of closed) {
      if (!isClosed) continue;
      if (occupantsOf(node, pods, this.#runtime.clock.nowMs()).length === 0) ending.push(id);
      else await this.#reopen(node);
    }
    return ending;
  }

  async #drain(node: Node, occupants: readonly Pod[]): Promise<void> {
    if (!(await this.#cordon(node))) return;
    for (const { metadata } of occupants.filter((pod) => pod.metadata.deletionTimestamp === undefined)) {
      const { name = '', namespace = 'default', uid } = metadata;
      await attempt(this.#runtime.log, `pod ${namespace}/${name} can't be evicted yet`, () => {
        return this.#kube.evict(namespace, name, uid === undefined ? {} : { uid });
      });
    }
  }

  /** @returns whether nothing new can be scheduled on the node */
  async #cordon(node: Node): Promise<boolean> {
    // Another client's cordon works as well, and must not be undone here.
    if (node.spec?.unschedulable === true) return true;
    return this.#mark(node, { spec: { unschedulable: true }, metadata: { annotations: { [LEAVING]: 'true' } } });
  }

  async #reopen(node: Node): Promise<void> {
    await this.#mark(node, { spec: { unschedulable: null }, metadata: { annotations: { [LEAVING]: null } } });
  }

  async #mark({ metadata: { name = '' } }: Node, patch: object): Promise<boolean> {
    const done = await attempt(this.#runtime.log, `node ${name} can't be marked`, async () => {
      await this.#kube.patch({ type: RESOURCES.nodes, name }, patch);
      return true;
    });
    return done === true;
  }
}

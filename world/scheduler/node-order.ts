import { LABEL } from '../../model/kube.ts';
import type { NodeInfo } from './node-info.ts';

/**
 * Nodes in the order in which they are examined: one of each zone in turn (`nodeTree.list`), the zones in the order of their first
 * nodes. A node that changes keeps its place, and one that comes or goes is put into its zone alone.
 */
export class NodeOrder {
  /** By zone, sorted by name. None is empty. */
  readonly #zones = new Map<string, NodeInfo[]>();
  /** Undefined after a node came or went. */
  #ordered: NodeInfo[] | undefined;
  /** The zones in their order, while that of the nodes is known. */
  #lists: readonly NodeInfo[][] = [];

  list(): readonly NodeInfo[] {
    if (this.#ordered === undefined) {
      this.#lists = [...this.#zones.values()].sort(([a], [b]) => ((a?.name ?? '') < (b?.name ?? '') ? -1 : 1));
      this.#ordered = roundRobin(this.#lists);
      for (const [place, { load }] of this.#ordered.entries()) load.place = place;
    }
    return this.#ordered;
  }

  /** @param before the same node as it was, if it was there */
  set(node: NodeInfo, before: NodeInfo | undefined): void {
    const zone = zoneOf(node);
    if (before !== undefined && zoneOf(before) !== zone) this.remove(before);
    const nodes = this.#zones.get(zone);
    if (nodes === undefined) {
      this.#zones.set(zone, [node]);
      this.#ordered = undefined;
      return;
    }
    const at = lowerBound(nodes, node.name);
    const isThere = nodes[at]?.name === node.name;
    nodes.splice(at, isThere ? 1 : 0, node);
    if (!isThere) this.#ordered = undefined;
    if (this.#ordered !== undefined) this.#ordered[this.#placeOf(nodes, at)] = node;
  }

  remove(node: NodeInfo): void {
    const zone = zoneOf(node);
    const nodes = this.#zones.get(zone) ?? [];
    const at = lowerBound(nodes, node.name);
    if (nodes[at]?.name !== node.name) return;
    nodes.splice(at, 1);
    if (nodes.length === 0) this.#zones.delete(zone);
    this.#ordered = undefined;
  }

  /** Where the node is that is at a place in its zone: after the earlier rounds, and the zones before its own. */
  #placeOf(zone: readonly NodeInfo[], round: number): number {
    const own = this.#lists.indexOf(zone as NodeInfo[]);
    return this.#lists.reduce((sum, { length }, index) => sum + Math.min(length, index < own ? round + 1 : round), 0);
  }
}

function roundRobin(zones: readonly (readonly NodeInfo[])[]): NodeInfo[] {
  const rounds = Math.max(0, ...zones.map(({ length }) => length));
  const ordered: NodeInfo[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const zone of zones) {
      const node = zone[round];
      if (node !== undefined) ordered.push(node);
    }
  }
  return ordered;
}

function zoneOf({ labels }: NodeInfo): string {
  return `${labels[LABEL.region] ?? ''}:${labels[LABEL.zone] ?? ''}`;
}

/** Index of the first node whose name is not less. */
function lowerBound(nodes: readonly NodeInfo[], name: string): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((nodes[middle] as NodeInfo).name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { NodeInfo, NodeLoad } from './node-info.ts';

/**
 * Which nodes are known to refuse the pods of a kind by themselves: most nodes of a large cluster are full, and thousands of like pods
 * would ask each of them. It remembers one kind, as `NodeLoad` does.
 */
export class FullNodes {
  #kind: number | undefined;
  /** The order that the places are of. */
  #nodes: readonly NodeInfo[] = [];
  /** By place: 1 if it refuses. */
  #flags = new Uint8Array(0);

  /** The flags by place, which the caller sets for nodes that refuse. @param nodes in the order in which they are examined */
  of(kind: number, nodes: readonly NodeInfo[]): Uint8Array {
    if (this.#kind !== kind || this.#nodes !== nodes) {
      this.#kind = kind;
      this.#nodes = nodes;
      this.#flags = new Uint8Array(nodes.length);
    }
    return this.#flags;
  }

  /** A node or its pods have changed. */
  forget({ place }: NodeLoad): void {
    if (place < this.#flags.length) this.#flags[place] = 0;
  }
}

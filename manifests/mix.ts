import type { UserObject } from '../harness/scenario.ts';
import type { Pool } from '../model/catalogue.ts';
import type { Feasibility } from './feasibility.ts';
import type { UserWorkload } from './workloads.ts';

/** A workload of the user's, and what can come of it. */
export interface MixWorkload extends UserWorkload {
  readonly feasibility: Feasibility;
}

/** A user's own pools and workloads, as a directory of manifests holds them. */
export interface Mix {
  readonly pools: readonly Pool[];
  /** In the order of their files. Those that can't be tested here are among them. */
  readonly workloads: readonly MixWorkload[];
  /** What is applied before the workloads: namespaces, priority classes, budgets. */
  readonly companions: readonly UserObject[];
  /** What is done otherwise than written, and what is not looked at. */
  readonly notes: readonly string[];
  /** Nodes that it may need at once, reckoned generously. */
  readonly nodes: number;
  /** Paths of the files. */
  readonly sources: readonly string[];
}

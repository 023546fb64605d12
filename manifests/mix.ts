import type { UserObject } from '../harness/scenario.ts';
import type { Pool } from '../model/catalogue.ts';
import type { Feasibility } from './feasibility.ts';
import type { Scaling } from './pod-autoscalers.ts';
import type { UserWorkload } from './workloads.ts';

/** A user's workload, and whether it can be served. */
export interface MixWorkload extends UserWorkload {
  readonly feasibility: Feasibility;
  /** How it is scaled by load; absent unless an autoscaler for it is among the manifests. */
  readonly scaling?: Scaling & {
    /** Whether its `max` pods can be served, beside those of the others. */
    readonly peak: Feasibility;
  };
  /** Why a trial in which it is served does not show that the user's cluster serves it; absent if it does. */
  readonly doubt?: { readonly kind: Exclude<Feasibility['kind'], 'servable'>; readonly why: string };
}

/** A start of a CronJob that `manifests/job-schedules` follows. */
export interface CronRun {
  readonly cronJob: MixWorkload;
  readonly atMs: number;
  /** Since the first of these runs. */
  readonly sinceMs: number;
}

/** A user's pools and workloads, from a directory of manifests. */
export interface Mix {
  readonly pools: readonly Pool[];
  /** In the order of their files, including those that can't be tested here. */
  readonly workloads: readonly MixWorkload[];
  /** Objects that are applied before the workloads: namespaces, priority classes, budgets. */
  readonly companions: readonly UserObject[];
  /** In order; none if CronJobs would start only once. */
  readonly cronRuns: readonly CronRun[];
  /** Deviations from the manifests, and ignored fields. */
  readonly notes: readonly string[];
  /** Whether fields of classes are ignored. */
  readonly ignoresClasses: boolean;
  /** A generous estimate of the nodes that it may need at once. */
  readonly nodes: number;
  /** Paths of the files. */
  readonly sources: readonly string[];
}

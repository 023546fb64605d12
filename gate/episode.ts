import type { PhaseWaits } from '../history/measures.ts';
import type { Verdict } from '../history/verdict.ts';

/**
 * One provisioning episode: a trial of one version of an autoscaler. Episodes are independent of each other, the pods in one
 * are not: they share its instances, faults and luck, and are a cluster to every statistic.
 */
export interface Episode {
  readonly scenario: string;
  readonly seed: number;
  /** What runs it again; empty where there was no trial. */
  readonly replay: string;
  readonly verdict: Verdict;
  /** Why it has no verdict, where that lies outside of its trial. */
  readonly why?: string;
  /** Findings of checks that tolerate none: of all but the success rate's and those of budgets that a gate has of its own. */
  readonly violations: readonly Violation[];
  /** Pods that were to be served, and those that were in time. */
  readonly success: { readonly served: number; readonly asked: number };
  readonly instances: { readonly created: number; readonly leaked: number };
  readonly latencies: readonly PhaseWaits[];
  /** What the target's instances cost by the price list while the trial ran, in US dollars. */
  readonly usd: number;
  /** Of the target, on both wires; absent where the world doesn't see all of them. */
  readonly requests?: number;
  /** Requests for instances that EC2 answered with fewer than were asked for, or not at all. */
  readonly failedLaunches: number;
  /** Utilisation of the target's nodes when all pods ran: requested over allocatable, 0 to 1; absent where it can't be told. */
  readonly utilisation?: { readonly cpu: number; readonly memory: number };
}

export interface Violation {
  readonly check: string;
  readonly code: string;
  readonly object: string;
  readonly message: string;
}

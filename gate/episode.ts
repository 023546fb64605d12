import type { PhaseWaits } from '../history/measures.ts';
import type { Verdict } from '../history/verdict.ts';

/**
 * One provisioning episode: a trial of one version of an autoscaler. Episodes are independent of each other. The pods in one are
 * not: they share its instances, faults and luck, and are one cluster for statistics.
 */
export interface Episode {
  readonly scenario: string;
  readonly seed: number;
  /** Its replay line; empty if there was no trial. */
  readonly replay: string;
  readonly verdict: Verdict;
  /** Why it has no verdict, if the reason is outside of its trial. */
  readonly why?: string;
  /** Violations of invariants: findings of all checks except those of the success rate and of budgets, which the gate judges itself. */
  readonly violations: readonly Violation[];
  /** Pods that had to be served, and those that were served in time. */
  readonly success: { readonly served: number; readonly asked: number };
  readonly instances: { readonly created: number; readonly leaked: number };
  readonly latencies: readonly PhaseWaits[];
  /** What the target's instances cost by the price list while the trial ran, in US dollars. */
  readonly usd: number;
  /** Of the target, to both APIs; absent if the world doesn't record all of them. */
  readonly requests?: number;
  /** Requests for instances for which EC2 returned fewer than requested, or no response. */
  readonly failedLaunches: number;
  /** Utilisation of the target's nodes when all pods ran: requested over allocatable, 0 to 1; absent if unknown. */
  readonly utilisation?: { readonly cpu: number; readonly memory: number };
}

export interface Violation {
  readonly check: string;
  readonly code: string;
  readonly object: string;
  readonly message: string;
}

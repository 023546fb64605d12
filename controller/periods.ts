import { BACKOFF_MAX_MS } from './constants.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Periods that affect how long the autoscaler takes, in milliseconds; its declared constants are derived from them. */
interface ChosenPeriods {
  /** How often pods that are still pending are retried. */
  readonly pendingRetryMs: number;
  /** A NodeClaim without an instance is deleted this long after its creation. */
  readonly launchTimeoutMs: number;
  /** A NodeClaim whose Node has not registered this long after the launch is deleted, and its instance terminated. */
  readonly registrationTimeoutMs: number;
  /** How often a launched NodeClaim without a Node is checked even without events. */
  readonly lifecyclePollMs: number;
  /** How long an offering that EC2 reported as having no capacity is avoided. */
  readonly unavailableOfferingMs: number;
  /**
   * How long an offering is avoided that was in a fleet request without any instance, but that no error named. Karpenter requests it
   * again at once, which costs a round per offering if errors name only one (core#3198).
   */
  readonly doubtedOfferingMs: number;
  /** For this long after its launch, an instance that EC2 does not list may still exist: its reads are eventually consistent. */
  readonly visibilityMs: number;
  /** An empty look-up by launch tag is repeated until this long after the last possible launch. */
  readonly lookupSettleMs: number;
  /** How often such a look-up is repeated. */
  readonly lookupPollMs: number;
  /** Younger instances are never collected: their claim may be about to record them. */
  readonly collectionMinAgeMs: number;
  /** How often to search instances without a claim, and claims without an instance. */
  readonly collectionPeriodMs: number;
  /** How often a node is checked whose pods are being evicted, or whose instance is terminating. */
  readonly terminationPollMs: number;
  /** How often to look for nodes to disrupt. */
  readonly disruptionPollMs: number;
  /** A consolidation plan is executed only if it is still valid after this time. */
  readonly validationMs: number;
  /** The default of pools, and what the target adapter sets. Whole seconds. */
  readonly consolidateAfterMs: number;
  /** How often pools and classes are compared with the claims, besides on changes. */
  readonly poolSweepMs: number;
  /**
   * How long a registered Node counts as room for pending pods before it is ready: one that takes longer may never be. Karpenter
   * waits for it forever, and then never serves the pods nominated to it.
   */
  readonly readyPatienceMs: number;
  /** Pods that have been pending for this long get an Event with their nominated node: longer than most nodes take. */
  readonly nominatedAfterMs: number;
}

/** Every period, including derived ones. */
export interface Periods extends ChosenPeriods {
  /** How long a nominated pod keeps a node from counting as empty: two retries of pending pods. */
  readonly nominationMs: number;
  /**
   * A registered Node that was never ready is removed this long after its launch. Karpenter has no such limit: its node repair, if
   * enabled, acts after 30 minutes.
   */
  readonly initializationTimeoutMs: number;
  /** From the decision to remove a node to TerminateInstances, without the time for pods: the longest backoff and one poll. */
  readonly terminationMs: number;
}

function complete(chosen: ChosenPeriods): Periods {
  return {
    ...chosen,
    nominationMs: 2 * chosen.pendingRetryMs,
    initializationTimeoutMs: chosen.registrationTimeoutMs,
    terminationMs: BACKOFF_MAX_MS + chosen.terminationPollMs,
  };
}

/** Karpenter's values (v1.14) where it has the same period, for clusters with real machines. */
export const STANDARD: Periods = complete({
  pendingRetryMs: 10 * SECOND_MS,
  launchTimeoutMs: 5 * MINUTE_MS,
  registrationTimeoutMs: 15 * MINUTE_MS,
  lifecyclePollMs: 30 * SECOND_MS,
  unavailableOfferingMs: 3 * MINUTE_MS,
  doubtedOfferingMs: 1 * MINUTE_MS,
  // 30 s is ample; 5 minutes is the longest time that AWS mentions.
  visibilityMs: 5 * MINUTE_MS,
  lookupSettleMs: 1 * MINUTE_MS,
  lookupPollMs: 5 * SECOND_MS,
  collectionMinAgeMs: 30 * SECOND_MS,
  collectionPeriodMs: 2 * MINUTE_MS,
  terminationPollMs: 5 * SECOND_MS,
  disruptionPollMs: 10 * SECOND_MS,
  validationMs: 15 * SECOND_MS,
  consolidateAfterMs: 30 * SECOND_MS,
  poolSweepMs: 10 * SECOND_MS,
  // Most nodes are ready within 20 s.
  readyPatienceMs: 45 * SECOND_MS,
  nominatedAfterMs: 1 * MINUTE_MS,
});

/**
 * For tests in real time, with machines that are up within seconds, so that no test waits a quarter of an hour for a time-out.
 * EC2's own slowness (reads up to 30 s late) is still allowed for.
 */
export const QUICK: Periods = complete({
  pendingRetryMs: 5 * SECOND_MS,
  launchTimeoutMs: 2 * MINUTE_MS,
  registrationTimeoutMs: 1 * MINUTE_MS,
  lifecyclePollMs: 5 * SECOND_MS,
  unavailableOfferingMs: 30 * SECOND_MS,
  doubtedOfferingMs: 10 * SECOND_MS,
  visibilityMs: 1 * MINUTE_MS,
  lookupSettleMs: 40 * SECOND_MS,
  lookupPollMs: 2 * SECOND_MS,
  collectionMinAgeMs: 10 * SECOND_MS,
  collectionPeriodMs: 20 * SECOND_MS,
  terminationPollMs: 2 * SECOND_MS,
  disruptionPollMs: 2 * SECOND_MS,
  validationMs: 3 * SECOND_MS,
  consolidateAfterMs: 5 * SECOND_MS,
  poolSweepMs: 5 * SECOND_MS,
  readyPatienceMs: 20 * SECOND_MS,
  nominatedAfterMs: 20 * SECOND_MS,
});

/** The sets by their names in the process's environment. */
export const PERIODS = { standard: STANDARD, quick: QUICK } as const satisfies Record<string, Periods>;

import { BACKOFF_MAX_MS } from './constants.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** The periods that whoever watches the autoscaler has to wait for, in milliseconds; what it declares of itself is made of them. */
interface ChosenPeriods {
  /** Pods that are still pending are looked at again. */
  readonly pendingRetryMs: number;
  /** A NodeClaim without an instance is given up so long after its creation. */
  readonly launchTimeoutMs: number;
  /** A NodeClaim whose Node has not registered so long after the launch is given up, and its instance terminated. */
  readonly registrationTimeoutMs: number;
  /** A launched NodeClaim that waits for its Node is looked at again even if nothing was heard. */
  readonly lifecyclePollMs: number;
  /** An offering that EC2 named as having no capacity is left alone for so long. */
  readonly unavailableOfferingMs: number;
  /**
   * An offering that was asked for in a fleet that got no instance at all, but that no error named, is left alone for so
   * long. Karpenter asks for it again at once, which costs a round per offering when errors name only one (core#3198).
   */
  readonly doubtedOfferingMs: number;
  /** For so long after its launch, an instance that EC2 does not list may still exist: its reads are eventually consistent. */
  readonly visibilityMs: number;
  /** A look-up by launch tag that found nothing is repeated until so long after the last possible launch. */
  readonly lookupSettleMs: number;
  /** How often such a look-up is repeated. */
  readonly lookupPollMs: number;
  /** Instances younger than this are never collected: their claim may be about to record them. */
  readonly collectionMinAgeMs: number;
  /** Instances without a claim, and claims without an instance, are looked for this often. */
  readonly collectionPeriodMs: number;
  /** A node whose pods are being evicted, or whose instance is ending, is looked at again. */
  readonly terminationPollMs: number;
  /** Nodes that could go are looked for this often. */
  readonly disruptionPollMs: number;
  /** A plan to consolidate nodes is carried out only if it still holds so long after it was made. */
  readonly validationMs: number;
  /** What pools ask for where they say nothing, and what the target adapter asks for. Whole seconds. */
  readonly consolidateAfterMs: number;
  /** Pools and classes are compared with the claims this often, and whenever one of them changes. */
  readonly poolSweepMs: number;
  /**
   * A Node that has registered counts as room for pending pods for so long before it is ready: one that takes longer may
   * never be, and Karpenter, which waits for it without end, then serves nobody who was planned onto it.
   */
  readonly readyPatienceMs: number;
  /** Pods that have waited so long are told which node they are planned onto: longer than most nodes take. */
  readonly nominatedAfterMs: number;
}

/** Every period, those that follow from others too. */
export interface Periods extends ChosenPeriods {
  /** A pod that was planned onto a node keeps it from counting as empty for so long: two looks at the pending pods. */
  readonly nominationMs: number;
  /**
   * A Node that is registered and was never ready so long after its launch is given up. Karpenter has no such limit: its
   * node repair acts after 30 minutes, where it is switched on.
   */
  readonly initializationTimeoutMs: number;
  /** From the decision to remove a node to TerminateInstances, apart from pods: the longest backoff and one poll. */
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

/** As Karpenter has them (v1.14) where it has the same, and as clusters with real machines need them. */
export const STANDARD: Periods = complete({
  pendingRetryMs: 10 * SECOND_MS,
  launchTimeoutMs: 5 * MINUTE_MS,
  registrationTimeoutMs: 15 * MINUTE_MS,
  lifecyclePollMs: 30 * SECOND_MS,
  unavailableOfferingMs: 3 * MINUTE_MS,
  doubtedOfferingMs: 1 * MINUTE_MS,
  // 30 s is ample, 5 minutes is the longest that AWS speaks of.
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
  // Most are within 20 s.
  readyPatienceMs: 45 * SECOND_MS,
  nominatedAfterMs: 1 * MINUTE_MS,
});

/**
 * For tests in real time, with machines that are up within seconds: nobody waits a quarter of an hour for a time-out. What
 * EC2 itself is slow at (reads up to 30 s late) still has its room.
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

/** The sets by the names that the process's environment has for them. */
export const PERIODS = { standard: STANDARD, quick: QUICK } as const satisfies Record<string, Periods>;

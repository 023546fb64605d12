/** A phase whose duration differs between a real cluster and the embedded world, and why that is accepted. */
export interface AgreedDifference {
  /** The scenario's id; absent if it may occur in any. */
  readonly scenario?: string;
  /** The phase's name from `phasesOf`. */
  readonly phase: string;
  /** Largest difference of the medians that the reason explains. It never explains a phase that only one world has. */
  readonly limitMs: number;
  readonly reason: string;
  /** The full explanation: a page and its heading. */
  readonly see: string;
  /** The difference is near the limit of agreement: runs within that limit do not make the entry stale. */
  readonly isNear?: true;
}

const SEE = 'docs/fidelity.md#agreement-with-real-clusters';
/** One polling period of 2 s in only one of the worlds, plus the same again for the requests around it. */
const POLLING_LIMIT_MS = 4_000;
const POLLING = 'the reference checks a terminating instance when one of its objects changes, else every 2 s: which comes first is random';
/** 90 pods take 3 s longer; twice that, since the controller's other writes count against the same limit. */
const CLIENT_LIMIT_MS = 6_000;
const CLIENT_LIMIT = 'the real controller manager creates 30 pods at once and then 20 per second, and the batch of pods waits for the last';

/** Differences that `scaleproof compare-worlds` accepts. Remove those that it no longer finds. */
export const AGREED_DIFFERENCES: readonly AgreedDifference[] = [
  { phase: 'instance ending -> node gone', limitMs: POLLING_LIMIT_MS, reason: POLLING, see: SEE, isNear: true },
  { phase: 'instance ending -> claim gone', limitMs: POLLING_LIMIT_MS, reason: POLLING, see: SEE, isNear: true },
  {
    scenario: 'provisioning/pods-per-node',
    phase: 'pending -> request',
    limitMs: CLIENT_LIMIT_MS,
    reason: CLIENT_LIMIT,
    see: SEE,
    isNear: true,
  },
  {
    scenario: 'provisioning/pods-per-node',
    phase: 'pending -> running',
    limitMs: CLIENT_LIMIT_MS,
    reason: CLIENT_LIMIT,
    see: SEE,
    isNear: true,
  },
];

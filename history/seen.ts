import { pendingPods, readyNodes, thinned } from './amounts.ts';
import type { Amount } from './amounts.ts';
import { waitsOf } from './latency.ts';
import type { Wait } from './latency.ts';
import type { FaultLife } from './lives.ts';
import { phaseWaitsOf } from './measures.ts';
import type { PhaseWaits } from './measures.ts';
import type { View } from './view.ts';

/** Most amounts of one kind that are kept of a trial: a picture of it is not wider. */
const MAX_AMOUNTS = 120;

/** What reports show of every trial besides its verdict: small enough to keep, so that the history is not read again. */
export interface TrialSeen {
  readonly phases: readonly PhaseWaits[];
  readonly waits: readonly Wait[];
  readonly faults: readonly FaultLife[];
  /** Ready nodes and pending pods over time, thinned. */
  readonly nodes: readonly Amount[];
  readonly pending: readonly Amount[];
  /** The time of the last event, milliseconds since the start of the trial. */
  readonly endMs: number;
  /** The history's last line was cut off. */
  readonly truncated: boolean;
}

export function seenIn(view: View): TrialSeen {
  return {
    phases: phaseWaitsOf(view),
    waits: waitsOf(view),
    faults: view.faults,
    nodes: thinned(readyNodes(view), MAX_AMOUNTS),
    pending: thinned(pendingPods(view), MAX_AMOUNTS),
    endMs: view.endMs,
    truncated: view.truncated,
  };
}

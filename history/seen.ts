import { phaseValuesOf } from './latency.ts';
import type { PhaseValues } from './latency.ts';
import type { FaultLife } from './lives.ts';
import type { View } from './view.ts';

/** What reports show of every trial besides its verdict: small enough to keep, so that the history is not read again. */
export interface TrialSeen {
  readonly phases: readonly PhaseValues[];
  readonly faults: readonly FaultLife[];
  /** The history's last line was cut off. */
  readonly truncated: boolean;
}

export function seenIn(view: View): TrialSeen {
  return { phases: phaseValuesOf(view), faults: view.faults, truncated: view.truncated };
}

import { phaseValuesOf } from './latency.ts';
import type { PhaseValues } from './latency.ts';
import type { FaultLife } from './lives.ts';
import type { View } from './view.ts';

/** What reports say of every trial beside its verdict: so little that it is kept, and the history not read again for it. */
export interface TrialSeen {
  readonly phases: readonly PhaseValues[];
  readonly faults: readonly FaultLife[];
  /** The history's last line was cut off. */
  readonly truncated: boolean;
}

export function seenIn(view: View): TrialSeen {
  return { phases: phaseValuesOf(view), faults: view.faults, truncated: view.truncated };
}

import type { View } from './view.ts';

/** A time when a fault had paused the target, in ms since the start of the trial. */
interface Pause {
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly toMs: number | undefined;
}

/** When the target was paused, as far as that kept anything from it: from the first such moment to the heal. */
export function pausesOf({ faults }: Pick<View, 'faults'>): Pause[] {
  return faults.flatMap(({ armed, fired: [first], healed }) =>
    armed.fault.fault === 'pause' && first !== undefined ? [{ fromMs: first.t, toMs: healed?.t }] : [],
  );
}

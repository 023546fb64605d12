import { z } from 'zod';
import { PHASES } from './measures.ts';
import type { PhaseWaits } from './measures.ts';

/** Parts into which a curve divides the pods: 20 of them are the median, 38 the 95th percentile. */
const CURVE_STEPS = 40;

/** How long pods took for one phase, as a distribution that is small enough to be kept and drawn. */
export const waitCurveSchema = z.object({
  pods: z.number().int().nonnegative().describe('Number of pods that were in this phase.'),
  censored: z.number().int().nonnegative().describe('How many of them had not completed it when their time was up.'),
  curveMs: z
    .array(z.number())
    .describe(
      'Milliseconds that 0 %, 2.5 %, 5 % ... 100 % of the pods did not exceed, by nearest rank. Shorter if pods did not complete the phase: the rest is not known.',
    ),
});
export type WaitCurve = Readonly<z.infer<typeof waitCurveSchema>>;

/** The curve of some waits. A pod that did not complete the phase counts as slower than all others: it is never dropped. */
export function waitCurveOf({ valuesMs, censoredMs }: Omit<PhaseWaits, 'phase'>): WaitCurve {
  const pods = valuesMs.length + censoredMs.length;
  const ranks = Array.from({ length: pods === 0 ? 0 : CURVE_STEPS + 1 }, (_, step) => Math.max(1, Math.ceil((step * pods) / CURVE_STEPS)));
  return { pods, censored: censoredMs.length, curveMs: ranks.flatMap((rank) => valuesMs[rank - 1] ?? []) };
}

/** The points of a curve: milliseconds, and the share of pods that took at most as long. */
export function pointsOf({ curveMs }: Pick<WaitCurve, 'curveMs'>): { readonly ms: number; readonly share: number }[] {
  return curveMs.map((ms, step) => ({ ms, share: step / CURVE_STEPS }));
}

/** A percentile that a curve has: 50 or 95. Undefined if too many pods did not complete the phase. */
export function percentileOn({ curveMs }: Pick<WaitCurve, 'curveMs'>, rank: 50 | 95): number | undefined {
  return curveMs[(rank * CURVE_STEPS) / 100];
}

/** The waits of several trials by phase, in the order of reports, whatever the order of the trials. */
export function mergeWaits(trials: readonly (readonly PhaseWaits[])[]): PhaseWaits[] {
  const byPhase = Map.groupBy(trials.flat(), ({ phase }) => phase);
  const order = [...PHASES, ...[...byPhase.keys()].filter((phase) => !PHASES.includes(phase)).sort()];
  return order.flatMap((phase) => {
    const own = byPhase.get(phase);
    if (own === undefined) return [];
    const all = (of: 'valuesMs' | 'censoredMs'): number[] => own.flatMap((waits) => waits[of]).sort((a, b) => a - b);
    return [{ phase, valuesMs: all('valuesMs'), censoredMs: all('censoredMs') }];
  });
}

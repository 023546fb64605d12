import { z } from 'zod';
import { median } from '../../bench/table.ts';

/** How each bug is searched for. */
export const searchedSchema = z.strictObject({
  limitSeconds: z.int().min(1),
  seed: z.int().min(0),
  /** Scenarios with which each search begins, and a digest of them. */
  corpus: z.string(),
});

/** What the explorer made of one planted bug. */
export const plantedResultSchema = z.strictObject({
  /** Without `mutant:`. */
  mutant: z.string(),
  searched: searchedSchema,
  /** Of the search, until something was found or the time was up. */
  trials: z.int().min(0),
  /** To make what was found smaller. */
  shrinkTrials: z.int().min(0),
  seconds: z.number(),
  /** Absent if nothing was found that the reference passes. */
  found: z
    .strictObject({
      check: z.string(),
      code: z.string(),
      /** Trials up to the one that failed. */
      afterTrials: z.int().min(1),
      faults: z.int().min(0),
      workloads: z.int().min(0),
      pools: z.int().min(0),
      steps: z.int().min(0),
      /** Path of the smallest scenario, in the directory of the results. */
      scenario: z.string(),
    })
    .exactOptional(),
  /** Scenarios that the reference does not pass, either: nothing is proved by them. */
  ofReference: z.array(z.string()),
});

export type PlantedResult = z.infer<typeof plantedResultSchema>;

/** One line for a bug. */
export function resultLine({ mutant, found, trials, seconds, ofReference }: PlantedResult): string {
  const after = `${Math.round(seconds)} s`;
  const also = ofReference.length === 0 ? '' : `; the reference does not pass ${ofReference.length} of what was found`;
  if (found === undefined) return `${mutant}: not found in ${trials} trials, ${after}${also}`;
  const { check, code, afterTrials, faults, workloads, pools } = found;
  return `${mutant}: ${check} ${code} after ${afterTrials} trials, ${after}; faults ${faults}, workloads ${workloads}, pools ${pools}${also}`;
}

/** The totals: how many were found, and the medians of those. */
export function totalsOf(results: readonly PlantedResult[]): string {
  const found = results.flatMap((result) => (result.found === undefined ? [] : [{ ...result.found, seconds: result.seconds }]));
  const middle = (of: (one: (typeof found)[number]) => number): number => median(found.map(of));
  const medians =
    found.length === 0
      ? ''
      : `; medians: ${middle(({ afterTrials }) => afterTrials)} trials, ${Math.round(middle(({ seconds }) => seconds))} s, faults ${middle(({ faults }) => faults)}, workloads ${middle(({ workloads }) => workloads)}, pools ${middle(({ pools }) => pools)}`;
  return `${found.length} of ${results.length} planted bugs found${medians}`;
}

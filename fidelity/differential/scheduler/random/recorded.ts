import type { Outcome } from '../client.ts';
import type { Situation } from './situations.ts';

/** The recorded outcomes of a real scheduler, in the package. */
export const RECORDING = 'fixtures/recordings/scheduler-random.jsonl.gz';

/** How many situations of each kind there are, and in how many a pod was refused. */
export interface Grid {
  readonly situations: number;
  readonly spreading: number;
  /** Those of them with a refused pod. */
  readonly spreadingRefused: number;
  readonly pods: number;
  readonly placed: number;
  readonly refused: number;
  readonly preempting: number;
}

export function gridOf(situations: readonly Situation[], outcomes: readonly (readonly Outcome[])[]): Grid {
  const spreading = situations.flatMap(({ spreads }, index) => (spreads ? [outcomes[index] ?? []] : []));
  const all = outcomes.flat();
  return {
    situations: situations.length,
    spreading: spreading.length,
    spreadingRefused: spreading.filter((one) => one.some((outcome) => 'message' in outcome)).length,
    pods: all.length,
    placed: all.filter((outcome) => 'node' in outcome).length,
    refused: all.filter((outcome) => 'message' in outcome && outcome.nominated === undefined).length,
    preempting: all.filter((outcome) => 'message' in outcome && outcome.nominated !== undefined).length,
  };
}

export function gridText(situations: readonly Situation[], outcomes: readonly (readonly Outcome[])[]): string {
  const { spreading, spreadingRefused, pods, placed, refused, preempting } = gridOf(situations, outcomes);
  return [
    `${situations.length} situations, ${spreading} with required spread or anti-affinity, of these ${spreadingRefused} with a pod refused`,
    `${pods} pods: ${placed} placed, ${refused} refused, ${preempting} refused and nominated`,
  ].join('\n');
}

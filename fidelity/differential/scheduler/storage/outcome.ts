import { podInfo } from '../../../../world/scheduler/pod-info.ts';
import type { Outcome } from '../client.ts';
import { choicesOf, clusterOf, decisionsOf } from '../ours.ts';
import type { Choices, OpenCase } from '../ours.ts';
import { nameOf } from '../random/outcome.ts';

/** The recorded outcomes of a real scheduler, in the repository. */
export const STORAGE_RECORDING = 'fixtures/recordings/scheduler-storage-random.jsonl.gz';

/** A case that the emulated scheduler decides otherwise. */
export interface CaseDifference {
  readonly name: string;
  readonly situation: OpenCase;
  readonly real: Outcome;
  readonly ours: Choices;
}

export function caseDifference(situation: OpenCase, real: Outcome): CaseDifference | undefined {
  const ours = choicesOf(decisionsOf(podInfo(situation.pod), clusterOf(situation)));
  const name = nameOf(real, ours);
  return name === undefined ? undefined : { name, situation, real, ours };
}

import type { Clock } from '../../runtime/clock.ts';
import { startOf } from '../../world/kind/processes.ts';
import type { Programs } from '../../world/kind/programs.ts';

/** Between two looks at a process. */
const LOOK_MS = 500;

/** A process that something is done for. */
export interface Owner {
  /** Resolves within half a second after the process is gone, however it ended. Rejects when the signal is aborted first. */
  untilGone(clock: Clock, signal: AbortSignal): Promise<void>;
}

/** @returns undefined if there is no such process */
export async function findOwner(pid: number, programs: Programs): Promise<Owner | undefined> {
  const started = await startOf(pid, programs);
  if (started === undefined) return undefined;
  return {
    untilGone: async (clock, signal) => {
      while ((await startOf(pid, programs)) === started) await clock.sleep(LOOK_MS, signal);
    },
  };
}

import { createRealTimeline } from '../runtime/timeline.ts';

/** A second signal within this time is the same Ctrl-C: a terminal signals the whole process group, and npm forwards it again. */
const SAME_MS = 1_000;

/** Turns Ctrl-C and SIGTERM into an abort, until released. A second one ends the process at once. */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const clock = createRealTimeline().scope('interruption');
  let firstMs = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    const nowMs = clock.nowMs();
    if (!controller.signal.aborted) {
      firstMs = nowMs;
      controller.abort(new Error(`interrupted by ${name}`));
    } else if (nowMs - firstMs > SAME_MS) process.exit(INTERRUPTED_TWICE);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/** Exit code of a run that was killed before it could write a partial report: unknown. */
const INTERRUPTED_TWICE = 3;

/** Turns Ctrl-C and SIGTERM into an abort, until released. A second one ends the process at once. */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED_TWICE);
    controller.abort(new Error(`interrupted by ${name}`));
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

/** Exit code of a run that was not even let finish its partial report: unknown. */
const INTERRUPTED_TWICE = 3;

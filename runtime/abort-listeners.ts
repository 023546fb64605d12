/**
 * Functions that are called when a signal is aborted, in the order in which they were added. A signal compares each new listener with all
 * that it has, so thousands of sleepers that share one would cost more than what they do; here one listener stands for all of them.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** @param signal not yet aborted. @returns a function that removes the listener */
  add(signal: AbortSignal, listener: () => void): () => void {
    const listeners = this.#bySignal.get(signal) ?? this.#listenTo(signal);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  #listenTo(signal: AbortSignal): Set<() => void> {
    const listeners = new Set<() => void>();
    this.#bySignal.set(signal, listeners);
    const callAll = (): void => {
      for (const listener of listeners) {
        listeners.delete(listener);
        listener();
      }
    };
    signal.addEventListener('abort', callAll, { once: true });
    return listeners;
  }
}

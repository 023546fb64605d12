import { Roster } from './roster.ts';

/**
 * Functions that are called when a signal is aborted, in the order in which they were added. A signal compares each new listener with all
 * that it has, so thousands of sleepers that share one would cost more than what they do; here one listener stands for all of them.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Roster<() => void>>();

  /** @param signal not yet aborted. @returns a function that removes the listener */
  add(signal: AbortSignal, listener: () => void): () => void {
    const listeners = this.#bySignal.get(signal) ?? this.#listenTo(signal);
    return listeners.join(listener);
  }

  #listenTo(signal: AbortSignal): Roster<() => void> {
    const listeners = new Roster<() => void>();
    this.#bySignal.set(signal, listeners);
    const callAll = (): void => {
      for (const listener of listeners) listener();
    };
    signal.addEventListener('abort', callAll, { once: true });
    return listeners;
  }
}

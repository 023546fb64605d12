/** The periods of `plain`, in milliseconds. */
export const PLAIN = {
  /** From the end of one look at the world to the next. */
  scanMs: 10_000,
  emptyAfterMs: 60_000,
  registrationTimeoutMs: 900_000,
  /** Pods wait for so long for a node that has registered. */
  readyWithinMs: 300_000,
  unavailableMs: 180_000,
} as const;

/** The periods of `plain`, in milliseconds. */
export const PLAIN = {
  /** From the end of one scan to the start of the next. */
  scanMs: 10_000,
  emptyAfterMs: 60_000,
  registrationTimeoutMs: 900_000,
  /** How long pods wait for a registered node to become ready. */
  readyWithinMs: 300_000,
  unavailableMs: 180_000,
  /** How long the sizes of nodes that are gone count for new ones of their types. */
  sizesKeptMs: 900_000,
} as const;

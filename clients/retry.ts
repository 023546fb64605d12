import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';

/** The AWS SDK's standard mode, with the figures of its 2026 release (`@smithy/core/retry`). */
export const RETRY = {
  maxAttempts: 3,
  baseDelayMs: 50,
  throttlingBaseDelayMs: 1_000,
  maxDelayMs: 20_000,
  /** The most that the answer's Retry-After may add to a pause. */
  maxHintMs: 5_000,
  /** Tokens in a client's bucket, and the cost of a retry. A success returns the last retry's tokens, or one. */
  bucket: 500,
  cost: 14,
  throttlingCost: 5,
} as const;

const THROTTLING_CODES: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException']);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** What a failed attempt was. `retryAfterMs` comes from the answer's Retry-After. */
export interface Failure {
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly retryAfterMs?: number;
  /** The SDK has just detected that its clock is wrong, and will sign with the right time from now on. */
  readonly clockCorrected?: boolean;
}

/** Whether the standard mode would retry after this failure, and why. */
function retryClassOf(failure: Failure): 'throttling' | 'transient' | 'final' {
  if (failure.status === 429 || THROTTLING_CODES.has(failure.code)) return 'throttling';
  const isTransient =
    failure.status === 0 || TRANSIENT_CODES.has(failure.code) || TRANSIENT_STATUSES.has(failure.status) || failure.clockCorrected === true;
  return isTransient ? 'transient' : 'final';
}

/** One client's retries: the standard mode's decisions, with the trial's random numbers and clock. */
export class StandardRetry {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #maxAttempts: number;
  #tokens: number = RETRY.bucket;

  constructor(clock: Clock, random: Random, maxAttempts: number) {
    this.#clock = clock;
    this.#random = random;
    this.#maxAttempts = maxAttempts;
  }

  /**
   * Runs `attempt` until it succeeds, fails for good, or may not be tried again. Rejects with the last error.
   * @param failureOf classifies an error; undefined if it is not a failure of the service
   * @param signal ends a pause: rejects with its reason
   */
  async run<T>(attempt: () => Promise<T>, failureOf: (error: unknown) => Failure | undefined, signal?: AbortSignal): Promise<T> {
    let lastCost: number | undefined;
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await attempt();
        this.#tokens = Math.min(RETRY.bucket, this.#tokens + (lastCost ?? 1));
        return result;
      } catch (error) {
        const failure = failureOf(error);
        const kind = failure === undefined ? 'final' : retryClassOf(failure);
        const cost = kind === 'throttling' ? RETRY.throttlingCost : RETRY.cost;
        if (kind === 'final' || attempts >= this.#maxAttempts || this.#tokens < cost) throw error;
        this.#tokens -= cost;
        lastCost = cost;
        await this.#clock.sleep(this.#pauseMs(kind, attempts - 1, failure?.retryAfterMs), signal);
      }
    }
  }

  #pauseMs(kind: 'throttling' | 'transient', retries: number, hintMs = 0): number {
    const baseMs = kind === 'throttling' ? RETRY.throttlingBaseDelayMs : RETRY.baseDelayMs;
    const drawnMs = Math.floor(this.#random.next() * Math.min(baseMs * 2 ** retries, RETRY.maxDelayMs));
    return Math.max(drawnMs, Math.min(hintMs, drawnMs + RETRY.maxHintMs));
  }
}

import { Ec2Refusal, invalidValue } from '../../protocols/ec2/refusal.ts';

/** How long EC2 remembers a token. Source: "Ensuring idempotency in Amazon EC2 API requests" (24 hours). */
const TOKEN_LIFETIME_MS = 24 * 3_600_000;
const TOKEN_LENGTH_MAX = 64;

/** One answer kept for a token. */
interface Kept {
  readonly request: string;
  readonly outcome: Promise<unknown>;
  readonly sinceMs: number;
}

/**
 * Idempotency by client token, separately for each action. The same token with the same request gets the same answer again,
 * even one without instances; with a different request it is refused. A refused request leaves its token unused.
 *
 * The answer is also replayed when its instances are terminated. RunInstances refuses such a token, since 2025, with
 * IdempotentInstanceTerminated (boto/boto3#4406); whether CreateFleet does is documented nowhere: the list of EC2's error
 * codes speaks of "the request to launch an instance" alone, and "Ensuring idempotency in Amazon EC2 API requests", which
 * names CreateFleet, says that retries of a successful request succeed.
 */
export class TokenLedger {
  readonly #kept = new Map<string, Kept>();

  /**
   * Does `work` unless this token already did.
   * @param request all parameters, as canonical text
   * @throws Ec2Refusal for a token that is too long, is not ASCII, or was used for another request
   */
  async once<T>(
    { action, token, request, nowMs }: { action: string; token: string; request: string; nowMs: number },
    work: () => Promise<T>,
  ): Promise<{ outcome: T; replayed: boolean }> {
    if (token.length > TOKEN_LENGTH_MAX || !/^[\x20-\x7e]+$/.test(token)) {
      throw invalidValue(`Invalid value '${token}' for ClientToken: it must be 1 to ${TOKEN_LENGTH_MAX} ASCII characters`);
    }
    this.#forgetOld(nowMs);
    const key = `${action}/${token}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      if (known.request !== request) throw parameterMismatch();
      return { outcome: (await known.outcome) as T, replayed: true };
    }
    const outcome = work();
    this.#kept.set(key, { request, outcome, sinceMs: nowMs });
    try {
      return { outcome: await outcome, replayed: false };
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  /** Tokens are stored in the order of arrival. */
  #forgetOld(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#kept) {
      if (nowMs - sinceMs < TOKEN_LIFETIME_MS) return;
      this.#kept.delete(key);
    }
  }
}

function parameterMismatch(): Ec2Refusal {
  return new Ec2Refusal(
    'IdempotentParameterMismatch',
    'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
  );
}

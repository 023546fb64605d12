/** What a sequential test is held to. */
export interface SequentialPlan {
  /** Probability of success of what is good enough. */
  readonly p0: number;
  /** Probability of success of what is not: less than p0. */
  readonly p1: number;
  /** Probability of rejecting what succeeds with p0 or more. */
  readonly alpha: number;
  /** Probability of accepting what succeeds with p1 or less. */
  readonly beta: number;
}

interface SequentialResult {
  readonly verdict: 'accept' | 'reject' | 'continue';
  /** ln of how much likelier the trials are under p1 than under p0. */
  readonly logLikelihoodRatio: number;
  /** More successes without a failure that would be accepted; 0 when they are, and when they are rejected. */
  readonly cleanTrialsNeeded: number;
}

/**
 * Wald's sequential probability ratio test of success or failure. The trials may be looked at as often as one likes: what
 * succeeds with p0 is rejected at *any* look with probability alpha / (1 - beta) at most, and what succeeds with p1 is accepted
 * with beta / (1 - alpha) at most, whenever the looks are (Ville's inequality). So the order of the trials does not matter,
 * and all that there are count.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */
export function sequentialTest(plan: SequentialPlan, successes: number, failures: number): SequentialResult {
  const { acceptAt, rejectAt, success, failure } = steps(plan);
  const logLikelihoodRatio = successes * success + failures * failure;
  // Sums of logarithms: what reaches a limit exactly may miss it by the last digits.
  const verdict = logLikelihoodRatio >= rejectAt - 1e-12 ? 'reject' : logLikelihoodRatio <= acceptAt + 1e-12 ? 'accept' : 'continue';
  const cleanTrialsNeeded = verdict === 'continue' ? Math.ceil((acceptAt - logLikelihoodRatio) / success - 1e-9) : 0;
  return { verdict, logLikelihoodRatio, cleanTrialsNeeded };
}

/** The fewest trials, all of them successes, that are accepted after so many failures (0 for none). */
export function trialsToAccept(plan: SequentialPlan, failures: number): number {
  const { acceptAt, success, failure } = steps(plan);
  return failures + Math.ceil((acceptAt - failures * failure) / success - 1e-9);
}

/** The errors that the test keeps at any look, see {@link sequentialTest}. */
export function errorLimits({ alpha, beta }: SequentialPlan): { readonly falseAlarm: number; readonly miss: number } {
  return { falseAlarm: alpha / (1 - beta), miss: beta / (1 - alpha) };
}

/** What one trial adds to the logarithm, and where it ends. */
function steps({ p0, p1, alpha, beta }: SequentialPlan): { acceptAt: number; rejectAt: number; success: number; failure: number } {
  return {
    acceptAt: Math.log(beta / (1 - alpha)),
    rejectAt: Math.log((1 - beta) / alpha),
    success: Math.log(p1 / p0),
    failure: Math.log((1 - p1) / (1 - p0)),
  };
}

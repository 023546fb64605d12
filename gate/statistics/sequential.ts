/** The parameters of a sequential test. */
export interface SequentialPlan {
  /** Success probability that is good enough. */
  readonly p0: number;
  /** Success probability that is not: less than p0. */
  readonly p1: number;
  /** Probability of rejecting a candidate with p0 or more. */
  readonly alpha: number;
  /** Probability of accepting a candidate with p1 or less. */
  readonly beta: number;
}

interface SequentialResult {
  readonly verdict: 'accept' | 'reject' | 'continue';
  /** ln of the likelihood of the trials under p1 over that under p0. */
  readonly logLikelihoodRatio: number;
  /** Further successes without a failure until acceptance; 0 if accepted or rejected. */
  readonly cleanTrialsNeeded: number;
}

/**
 * Wald's sequential probability ratio test of success or failure. It can be evaluated any number of times: a candidate with p0 is
 * rejected at *any* look with probability alpha / (1 - beta) at most, and one with p1 is accepted with beta / (1 - alpha) at most,
 * whenever the looks are (Ville's inequality). So the order of the trials does not matter, and all of them count.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */
export function sequentialTest(plan: SequentialPlan, successes: number, failures: number): SequentialResult {
  const { acceptAt, rejectAt, success, failure } = steps(plan);
  const logLikelihoodRatio = successes * success + failures * failure;
  // Rounding: a sum that reaches a limit exactly may be slightly off.
  const verdict = logLikelihoodRatio >= rejectAt - 1e-12 ? 'reject' : logLikelihoodRatio <= acceptAt + 1e-12 ? 'accept' : 'continue';
  const cleanTrialsNeeded = verdict === 'continue' ? Math.ceil((acceptAt - logLikelihoodRatio) / success - 1e-9) : 0;
  return { verdict, logLikelihoodRatio, cleanTrialsNeeded };
}

/** The total number of trials for acceptance with this number of failures, if all others succeed. */
export function trialsToAccept(plan: SequentialPlan, failures: number): number {
  const { acceptAt, success, failure } = steps(plan);
  return failures + Math.ceil((acceptAt - failures * failure) / success - 1e-9);
}

/** Limits of the error rates over all looks, see {@link sequentialTest}. */
export function errorLimits({ alpha, beta }: SequentialPlan): { readonly falseAlarm: number; readonly miss: number } {
  return { falseAlarm: alpha / (1 - beta), miss: beta / (1 - alpha) };
}

/** What one trial adds to the logarithm, and the limits. */
function steps({ p0, p1, alpha, beta }: SequentialPlan): { acceptAt: number; rejectAt: number; success: number; failure: number } {
  return {
    acceptAt: Math.log(beta / (1 - alpha)),
    rejectAt: Math.log((1 - beta) / alpha),
    success: Math.log(p1 / p0),
    failure: Math.log((1 - p1) / (1 - p0)),
  };
}

import { gateOutcomeSchema } from '../../gate/outcome.ts';
import type { GateOutcome } from '../../gate/outcome.ts';

/** Options of a sample gate. */
export interface SampleGateOptions {
  /** A text from a cluster, and the name of the candidate. */
  readonly name?: string;
  /** Every criterion is met, and nothing failed. */
  readonly promoted?: boolean;
  /** Failed trials of the candidate, each of its own scenario. */
  readonly failures?: number;
  /** The policy accepts a failure that the baseline has too. */
  readonly accepting?: boolean;
}

const EXISTING = {
  criterion: 'existing-failures',
  verdict: 'pass',
  sentence: '1 kind of failure in 1 scenario accepted, since the baseline has the same; none is significantly more frequent.',
  numbers: { accepted: 1, scenarios: 1, gone: 0, worse: 0, undecided: 0, tooFew: 0 },
  evidence: [
    {
      scenario: 'a/known',
      seed: 3,
      replay: 'sp1,scenario=a/known@d1,target=acme,seed=3',
      what: 'launches/double in 1 of 3 episodes, in the baseline in 1 of 3',
    },
  ],
};

const range = (ms: number, isAtLeast = false) => ({ ms, isAtLeast });
const side = (factor: number, isAtLeast = false) => ({
  pods: 40,
  censored: isAtLeast ? 2 : 0,
  p50: range(30_000 * factor),
  p95: range(60_000 * factor),
  p99: range(90_000 * factor, isAtLeast),
  // From 20 s to 70 s; two of forty pods are never served if it is at least.
  curveMs: Array.from({ length: isAtLeast ? 39 : 41 }, (_, step) => (20_000 + step * 1_250) * factor),
});
const passed = (pass: number) => ({ pass, fail: 0, unknown: 0, findings: [] });

/** A rejected candidate: it breaks an invariant and leaves pods unserved, in scenarios that its baseline passes. */
export function sampleGate({ name = 'acme@2', promoted = false, failures = 2, accepting = false }: SampleGateOptions = {}): GateOutcome {
  const replayOf = (index: number): string => `sp1,scenario=a/s${index}@d1,target=${name},seed=${index}`;
  const failed = Array.from({ length: promoted ? 0 : failures }, (_, index) => index + 1);
  const evidence = (what: string) =>
    failed.map((index) => ({ scenario: `a/s${index}`, seed: index, replay: replayOf(index), what: `${what} ${name}` }));
  const bad = failed.length;
  return gateOutcomeSchema.parse({
    decision: {
      verdict: promoted ? 'pass' : 'fail',
      action: promoted ? 'promote' : 'reject',
      sentence: promoted ? 'Promote: every criterion is met, by 75 pairs.' : 'Reject: the candidate fails invariants, success.',
      criteria: [
        {
          criterion: 'invariants',
          verdict: promoted ? 'pass' : 'fail',
          sentence: `${bad} episodes of 20 violated invariants: ${name}.`,
          numbers: { episodes: 20, bad, shared: 0 },
          evidence: evidence('launches/double (instance/i-1): two for one claim'),
        },
        {
          criterion: 'success',
          verdict: promoted ? 'pass' : 'fail',
          sentence: `${20 - bad} of 20 episodes served all their pods.`,
          numbers: { trials: 20, succeeded: 20 - bad, failed: bad, trialsToAccept: 217, lowerBound: 0.8 },
          evidence: evidence('9 of 10 pods served in time'),
        },
        {
          criterion: 'latency-shift',
          verdict: promoted ? 'pass' : 'inconclusive',
          sentence: 'The typical wait of an episode: +4 %.',
          numbers: { estimate: 1.04, lower: 1.01, upper: 1.2, limit: 1.1 },
          evidence: [],
        },
        { criterion: 'cost', verdict: 'pass', isUntested: true, sentence: 'Not compared.', numbers: { units: 3 }, evidence: [] },
        {
          criterion: 'leaks',
          verdict: 'pass',
          sentence: 'No leak.',
          numbers: { created: 80, leaked: 0, episodes: 20, bad: 0 },
          evidence: [],
        },
        ...(accepting ? [EXISTING] : []),
      ],
      phases: [
        { phase: 'pending -> request', isJudged: false, baseline: side(0.1), candidate: side(0.1) },
        { phase: 'pending -> running', isJudged: true, baseline: side(1), candidate: side(1.2, true) },
      ],
      episodes: { isPaired: true, baseline: 20, candidate: 20, seen: 20 },
      needs: { episodes: 0, sentences: [] },
    },
    sides: { baseline: { target: 'reference', version: 'scaleproof 1.2.3' }, candidate: { target: name, version: 'version 2.0.1' } },
    version: '1.2.3',
    directories: ['seeds-from-1'],
    notes: [
      'laxer than the default: success.p0 0.02 (0.999)',
      'not covered: 90 of 100 scenarios; no scenario of profile robustness; 2 requirements untested: PRV-09, SCH-10',
    ],
    unseen: { of: 100, scenarios: new Array<string>(90).fill('b/unseen'), profiles: ['robustness'], requirements: ['PRV-09', 'SCH-10'] },
    ...(promoted ? {} : { stopped: { criteria: ['invariants'], trials: { run: 40, planned: 150 } } }),
    manifests: { summary: '1 of 5 workloads in ./shop is not shown to be served', gaps: [`Deployment shop/gpu: not served ${name}`] },
    scenarios: [
      ...failed.map((index) => ({
        scenario: `a/s${index}`,
        baseline: passed(1),
        candidate: {
          pass: 0,
          fail: 1,
          unknown: 0,
          findings: [
            { kind: 'launches/double', trials: 1, seed: index, replay: replayOf(index), what: `instance/i-1: two for ${name}` },
            { kind: 'not-served', trials: 1, seed: index, replay: replayOf(index), what: '9 of 10 pods served in time' },
          ],
        },
      })),
      { scenario: 'a/clean', baseline: passed(18), candidate: passed(18) },
    ],
  });
}

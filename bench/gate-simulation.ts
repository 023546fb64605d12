import { decideGate } from '../gate/decide.ts';
import type { Episode } from '../gate/episode.ts';
import type { Policy } from '../gate/policy.ts';
import type { CRITERIA, GateDecision } from '../gate/verdict.ts';
import { createRandom } from '../runtime/random.ts';
import type { Random } from '../runtime/random.ts';

/** Gates on simulated episodes with known true effects. */

/** The true properties of a target. */
export interface Truth {
  /** Share of episodes in which all pods are served in time. */
  readonly success: number;
  /** Factor on all waits. */
  readonly latency: number;
  /** Share of episodes in which all pods wait three times as long. */
  readonly slowShare: number;
  /** Factors on cost and requests. */
  readonly cost: number;
  readonly requests: number;
  /** Whether one pod of the last scenario always fails. */
  readonly breaksScenario: boolean;
}

export const GOOD: Truth = { success: 0.999, latency: 1, slowShare: 0.02, cost: 1, requests: 1, breaksScenario: false };

/** Two workload shapes, one much slower than the other; scenarios alternate between them. */
const SHAPES = [
  { medianMs: 60_000, usd: 0.05, requests: 220 },
  { medianMs: 150_000, usd: 0.12, requests: 340 },
];
const PODS = 10;
const TIME_OUT_MS = 900_000;

/** Standard deviations of logarithms. A pair shares what the seed draws (boot times, capacity), but not interleavings. */
const SPREAD = { seed: 0.2, episode: 0.08, pod: 0.15, usd: 0.08, requests: 0.1 };

/** One episode of one of several scenarios. @param luck draws shared through the seed @param own draws of this target only */
function episodeOf(seed: number, scenarios: number, truth: Truth, luck: Random, own: Random): Episode {
  const index = seed % scenarios;
  const shape = SHAPES[index % SHAPES.length];
  if (shape === undefined) throw new Error('no shape');
  const isSlow = own.chance(truth.slowShare);
  const common = shape.medianMs * truth.latency * (isSlow ? 3 : 1) * spread(luck, SPREAD.seed) * spread(own, SPREAD.episode);
  const waits = Array.from({ length: PODS }, () => Math.min(TIME_OUT_MS, common * spread(own, SPREAD.pod)));
  const hasFailed = !own.chance(truth.success) || (truth.breaksScenario && index === scenarios - 1);
  const valuesMs = (hasFailed ? waits.slice(1) : waits).sort((a, b) => a - b);
  return {
    scenario: `scenario-${index}`,
    seed,
    replay: `scenario-${index},${seed}`,
    verdict: hasFailed ? 'fail' : 'pass',
    violations: [],
    success: { served: valuesMs.length, asked: PODS },
    instances: { created: 3, leaked: 0 },
    latencies: [{ phase: 'pending -> running', valuesMs, censoredMs: hasFailed ? [TIME_OUT_MS] : [] }],
    usd: shape.usd * truth.cost * spread(luck, SPREAD.usd) * spread(own, SPREAD.usd),
    requests: Math.round(shape.requests * truth.requests * spread(luck, SPREAD.requests) * spread(own, SPREAD.requests)),
    failedLaunches: 0,
  };
}

/** A log-normal factor, using the Box–Muller transform. */
function spread(random: Random, deviation: number): number {
  const [radius, angle] = [1 - random.next(), random.next()];
  return Math.exp(deviation * Math.sqrt(-2 * Math.log(radius)) * Math.cos(2 * Math.PI * angle));
}

export interface Simulated {
  readonly decision: GateDecision;
  /** Pairs, or episodes a side. */
  readonly used: number;
}

/** What a gate compares, and how. */
interface Question {
  readonly baseline: Truth;
  readonly candidate: Truth;
  /** Whether both sides get the same seeds. */
  readonly paired: boolean;
  /** The episodes cycle through this many scenarios. */
  readonly scenarios: number;
}

/** Runs one gate from its first look to its last. */
export function simulateGate({ baseline: before, candidate: after, paired, scenarios }: Question, policy: Policy, name: string): Simulated {
  const random = createRandom(name);
  const baseline: Episode[] = [];
  const candidate: Episode[] = [];
  const drawsOf = (side: string, seed: number): Random => random.fork(`luck/${paired ? '' : side}/${seed}`);
  let more = policy.episodes.first;
  for (;;) {
    for (let one = 0; one < more; one += 1) {
      const seed = baseline.length;
      baseline.push(episodeOf(seed, scenarios, before, drawsOf('baseline', seed), random.fork(`baseline/${seed}`)));
      candidate.push(episodeOf(seed, scenarios, after, drawsOf('candidate', seed), random.fork(`candidate/${seed}`)));
    }
    const decision = decideGate(baseline, candidate, policy, { paired, seed: name });
    more = decision.needs.episodes;
    if (decision.verdict !== 'inconclusive' || more === 0) return { decision, used: baseline.length };
  }
}

type CriterionName = (typeof CRITERIA)[number];

/** Gates with the same true effect. */
export interface Case {
  readonly name: string;
  readonly paired: boolean;
  readonly scenarios: number;
  readonly candidate: Truth;
  /** Weight: its share of all simulated gates. */
  readonly gates: number;
  /** If nothing is promised, why. */
  readonly note?: string;
  /** The largest share that a criterion may reject (false alarms), or that may be promoted (misses). */
  readonly promises: readonly { readonly of: CriterionName | 'promoted'; readonly atMost: number }[];
}

export interface Tally {
  readonly promoted: number;
  readonly held: number;
  readonly rejected: number;
  readonly meanUsed: number;
  /** Number of gates in which each criterion failed at the end. */
  readonly failedBy: Readonly<Record<string, number>>;
}

/** Runs the gates of a case. */
export function tally({ name, paired, scenarios, candidate }: Case, gates: number, policy: Policy): Tally {
  const failedBy: Record<string, number> = {};
  const actions = { promote: 0, hold: 0, reject: 0 };
  let used = 0;
  for (let gate = 0; gate < gates; gate += 1) {
    const one = simulateGate({ baseline: GOOD, candidate, paired, scenarios }, policy, `${name}/${gate}`);
    actions[one.decision.action] += 1;
    used += one.used;
    for (const { criterion, verdict } of one.decision.criteria) {
      if (verdict === 'fail') failedBy[criterion] = (failedBy[criterion] ?? 0) + 1;
    }
  }
  return { promoted: actions.promote, held: actions.hold, rejected: actions.reject, meanUsed: used / gates, failedBy };
}

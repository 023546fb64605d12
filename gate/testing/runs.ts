import type { ComparedRun, ComparedTrial } from '../comparison/compared-run.ts';

/** The relevant properties of a made-up trial. */
export interface TrialOf {
  readonly scenario?: string;
  readonly seed: number;
  readonly served?: number;
  readonly leaked?: number;
  readonly waitsMs?: readonly number[];
  readonly censoredMs?: readonly number[];
  readonly requests?: number;
  readonly usdPerHour?: number;
  readonly nodes?: number;
  readonly unjudged?: readonly string[];
  readonly broken?: string;
}

/** A trial of one side, clean except for the given properties. */
export function trial({ scenario = 'a/out', seed, served = 10, leaked = 0, ...more }: TrialOf): ComparedTrial {
  const { waitsMs = [1_000], censoredMs = [], requests = 20, usdPerHour = 1, nodes = 10, unjudged = [], broken } = more;
  const waits = [{ phase: 'pending -> running', valuesMs: waitsMs, censoredMs }];
  const violations = broken === undefined ? [] : [{ check: 'check', code: broken, object: 'x', message: `${broken} happened` }];
  return {
    episode: {
      scenario,
      seed,
      replay: `sp1,seed=${seed}`,
      verdict: unjudged.length > 0 ? 'unknown' : served < 10 || broken !== undefined ? 'fail' : 'pass',
      violations,
      success: { served, asked: 10 },
      instances: { created: 10, leaked },
      latencies: waits,
      usd: 1,
      requests,
      failedLaunches: 0,
    },
    measures: {
      kinds: { spot: scenario === 'a/spot', spread: false, faulty: false },
      lastedMs: 60_000,
      pods: 10,
      waits,
      usd: 1,
      launches: { asked: 10, failed: 1, instances: 10 },
      requests,
      disruptions: 2,
      full: { pods: 10, instances: 10, usdPerHour, utilisation: { cpu: 0.5, memory: 0.25 } },
    },
    unjudged,
    setting: { '--nodes': nodes },
  };
}

export function run(trials: readonly ComparedTrial[], more: Partial<ComparedRun> = {}): ComparedRun {
  const digests = { catalogue: 'c', prices: 'p' };
  return { target: 't', directory: 'd', version: '1', world: 'embedded', time: 'virtual', digests, trials, notRun: [], lost: [], ...more };
}

export const many = (count: number, of: (seed: number) => TrialOf = (seed) => ({ seed })): ComparedTrial[] =>
  Array.from({ length: count }, (_, index) => trial(of(index + 1)));

import type { TargetComparison } from '../../history/comparison.ts';

/** Options of a sample comparison. */
export interface SampleComparisonOptions {
  /** Name of the second target. */
  readonly name?: string;
  /** The sides have no trial in common. */
  readonly nothing?: boolean;
}

/** Two versions of an autoscaler: the second provisions less, leaks and costs more, and sends fewer requests. */
export function sampleComparison({ name = 'v2', nothing = false }: SampleComparisonOptions = {}): TargetComparison {
  const side = { world: 'embedded', time: 'virtual', version: '0.1.0', trials: 60 } as const;
  const sections: TargetComparison['sections'] = [
    {
      id: 'provisioning',
      title: 'Provisioning, verdicts and leaks',
      about: 'Shares of trials.',
      rows: [
        {
          id: 'success',
          title: 'Provisioned: all scenarios',
          unit: 'ratio',
          better: 'higher',
          cells: [
            { value: 1, lower: 0.951, upper: 1, of: '60 of 60 trials', detail: '600 of 600 pods' },
            { value: 55 / 60, lower: 0.83, upper: 0.945, of: '55 of 60 trials', detail: '580 of 600 pods' },
          ],
          changes: [{ outcome: 'worse', difference: { value: -5 / 60, lower: -0.169, upper: -0.006 } }],
        },
        {
          id: 'success-spread',
          title: 'Provisioned: topology spread',
          unit: 'ratio',
          better: 'higher',
          cells: [
            { value: 1, lower: 0.951, upper: 1, of: '60 of 60 trials', detail: '600 of 600 pods' },
            { value: 1, lower: 0.951, upper: 1, of: '60 of 60 trials', detail: '600 of 600 pods' },
          ],
          changes: [
            { outcome: 'unclear', difference: { value: 0, lower: -0.0487, upper: 0.0487 }, within: { margin: 0.05, most: 0.0487 } },
          ],
        },
        {
          id: 'leaks',
          title: 'Leaked an instance',
          unit: 'ratio',
          better: 'lower',
          cells: [
            { value: 0, lower: 0, upper: 0.049, of: '60 of 60 trials', detail: '0 of 600 instances' },
            { value: 2 / 60, lower: 0.006, upper: 0.101, of: '60 of 60 trials', detail: '2 of 602 instances' },
          ],
          changes: [{ outcome: 'unclear', difference: { value: 2 / 60, lower: -0.0487, upper: 0.101 } }],
        },
      ],
    },
    {
      id: 'latency',
      title: 'Scale-out of ten nodes, by phase',
      about: 'Of provisioning/scale-out-and-back.',
      rows: [
        {
          id: 'pending-running-p99',
          title: 'pending -> running p99',
          unit: 'ms',
          better: 'lower',
          cells: [
            { value: 40_000, lower: 39_000, of: '600 pods in 60 trials', why: 'no upper bound below 299 trials' },
            { value: 120_000, atLeast: true, lower: 60_000, of: '600 pods in 60 trials', why: 'no upper bound below 299 trials' },
          ],
          changes: [{ outcome: 'unclear' }],
        },
        {
          id: 'pending-running-p50',
          title: 'pending -> running p50',
          unit: 'ms',
          better: 'lower',
          cells: [
            { value: 30_000, lower: 29_000, upper: 31_000, of: '600 pods in 60 trials' },
            { value: 48_000, lower: 42_000, upper: 58_000, of: '600 pods in 60 trials' },
          ],
          changes: [{ outcome: 'worse', ratio: { value: 1.6, lower: 1.4, upper: 1.9 } }],
        },
      ],
      curves: [
        {
          phase: 'pending -> running',
          sides: [
            { pods: 600, censored: 0, curveMs: Array.from({ length: 41 }, (_, step) => 20_000 + step * 500) },
            { pods: 600, censored: 30, curveMs: Array.from({ length: 39 }, (_, step) => 22_000 + step * 1_300) },
          ],
        },
      ],
    },
    {
      id: 'cluster',
      title: 'The cluster once all pods run',
      about: 'Means over trials.',
      rows: [
        {
          id: 'monthly-cost',
          title: 'Monthly cost of a 100-node cluster',
          unit: 'usd',
          better: 'lower',
          cells: [
            { value: 6_307, lower: 6_300, upper: 6_310, of: '10 trials' },
            { value: 7_008, lower: 7_000, upper: 7_010, of: '10 trials' },
          ],
          changes: [{ outcome: 'worse', ratio: { value: 1.111, lower: 1.109, upper: 1.12 } }],
        },
        {
          id: 'retries',
          title: 'Retries per launch',
          unit: 'number',
          better: 'lower',
          cells: [
            { value: 0.2, lower: 0.19, upper: 0.21, of: '60 trials' },
            { value: 0.204, lower: 0.2, upper: 0.21, of: '60 trials' },
          ],
          changes: [{ outcome: 'unclear', ratio: { value: 1.02, lower: 0.99, upper: 1.037 }, within: { margin: 0.25, most: 0.037 } }],
        },
        {
          id: 'requests',
          title: 'Requests per pod',
          unit: 'number',
          better: 'lower',
          cells: [
            { value: 36.44, lower: 35, upper: 37, of: '60 trials' },
            { value: 16.8, lower: 16, upper: 17, of: '60 trials' },
          ],
          changes: [{ outcome: 'better', ratio: { value: 0.461, lower: 0.45, upper: 0.47 } }],
        },
      ],
    },
  ];
  return {
    format: 1,
    confidence: 0.95,
    sides: [
      { ...side, letter: 'A', target: 'v1', directory: 'runs/a' },
      { ...side, letter: 'B', target: name, directory: 'runs/b' },
    ],
    compared: nothing ? { trials: 0, scenarios: [] } : { trials: 60, scenarios: ['provisioning/scale-out-and-back'] },
    sections: nothing ? [] : sections,
    broken: nothing
      ? []
      : [
          {
            letter: 'B',
            check: 'no-leaked-instances',
            code: 'leaked-instance',
            trials: 2,
            example: {
              scenario: 'provisioning/scale-out-and-back',
              seed: 4,
              object: 'instance/i-1',
              message: `Instance i-1 of ${name} is still live.`,
              replay: 'sp1,scenario=provisioning/scale-out-and-back,seed=4',
            },
          },
        ],
    differences: ['The versions of Scaleproof differ: 0.1.0 in A, 0.2.0 in B.'],
    leftOut: [{ scenario: 'scheduling/spot-spread', seeds: [1, 2], why: 'B has none' }],
  };
}

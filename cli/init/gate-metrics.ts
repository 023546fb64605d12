/** A metric that `scaleproof serve` exports. */
export interface GateMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
}

const OF_A_GATE = ['target', 'profile'] as const;

/** The metrics of `scaleproof serve`: what it exports, and what the rules and the dashboard query. */
export const GATE_METRICS = {
  verdict: {
    name: 'scaleproof_gate_verdict',
    type: 'gauge',
    help: 'Verdict of the last gate as its exit code: 0 pass, 1 fail, 3 inconclusive.',
    labels: OF_A_GATE,
  },
  runs: {
    name: 'scaleproof_gate_runs_total',
    type: 'counter',
    help: 'Finished gates, by verdict.',
    labels: [...OF_A_GATE, 'verdict'],
  },
  lastSuccess: {
    name: 'scaleproof_gate_last_success_ratio',
    type: 'gauge',
    help: 'Share of the provisioning episodes of the last gate that succeeded.',
    labels: OF_A_GATE,
  },
  duration: {
    name: 'scaleproof_gate_duration_seconds',
    type: 'gauge',
    help: 'How long the last gate took.',
    labels: OF_A_GATE,
  },
} as const satisfies Readonly<Record<string, GateMetric>>;

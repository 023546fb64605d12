/** An instance that this autoscaler launched. */
export interface Machine {
  readonly id: string;
  readonly group: string;
  readonly instanceType: string;
  readonly zone: string;
  /** `stopped` also while it stops, `over` from when it begins to end. */
  readonly state: 'live' | 'stopped' | 'over';
  readonly launchedMs: number;
}

/** An instance that this autoscaler launched. */
export interface Machine {
  readonly id: string;
  readonly group: string;
  readonly instanceType: string;
  readonly zone: string;
  /** `stopped` includes stopping, `over` includes shutting down. */
  readonly state: 'live' | 'stopped' | 'over';
  readonly launchedMs: number;
}

import type { Scale } from './scale.ts';

/** The look of a bar. */
export type BarStyle =
  | 'pod-waiting'
  | 'pod-bound'
  | 'pod-running'
  | 'node-joining'
  | 'node-ready'
  | 'node-lost'
  | 'claim-waiting'
  | 'claim-live'
  | 'instance-pending'
  | 'instance-running'
  | 'target-starting'
  | 'target-up'
  | 'ending';

/** A time interval in a lane. Times are milliseconds since the start of the trial. */
export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly style: BarStyle;
  readonly title: string;
  /** Text inside, if there is room. */
  readonly label?: string;
}

export type TickStyle = 'ok' | 'partial' | 'fail' | 'info' | 'killed' | 'panic';

/** A moment in a lane. */
export interface Tick {
  readonly tMs: number;
  readonly style: TickStyle;
  readonly title: string;
}

/** One event of an object, for following it. */
export interface Step {
  readonly tMs: number;
  /** Place of the event in the history. */
  readonly i: number;
  readonly text: string;
}

/** Amounts over time, drawn as an area. */
export interface Chart {
  /** The value at the top of the chart. */
  readonly top: string;
  readonly series: readonly { readonly style: ChartStyle; readonly points: readonly ChartPoint[] }[];
}

export type ChartStyle = 'ok' | 'throttled' | 'failed' | 'cost' | 'count' | 'use';

/** A time interval with an amount, from one height to another: 0 at the bottom of the chart, 1 at its top. */
export interface ChartPoint {
  readonly fromMs: number;
  readonly toMs: number;
  readonly low: number;
  readonly high: number;
}

export interface Lane {
  readonly label: string;
  readonly title: string;
  /** The object of the lane, for search; absent if it is not about an object. */
  readonly object?: string;
  /** The instance of its object. */
  readonly instance?: string | undefined;
  readonly steps?: readonly Step[];
  readonly chart?: Chart;
  /** Belongs to the lane above it. */
  readonly isNested?: boolean;
  /** The number of its finding group. */
  readonly flagged?: number;
  readonly bars: readonly Bar[];
  readonly ticks: readonly Tick[];
}

/** Lanes of one kind. */
export interface LaneGroup {
  readonly title: string;
  readonly lanes: readonly Lane[];
  /** A text about lanes that the limit left out; empty if none. */
  readonly hidden: string;
}

/** A fault: a band over all lanes from its arming to its heal. */
export interface Band {
  readonly fromMs: number;
  readonly toMs: number;
  /** The fault's colour from the history, which is untrusted. */
  readonly color: string;
  readonly label: string;
  readonly title: string;
  /** When it fired, grouped by marks, which would overlap otherwise. */
  readonly firedMs: readonly (readonly number[])[];
}

/** Findings at about the same moment. */
export interface Flag {
  readonly tMs: number;
  /** Numbers of the finding groups. */
  readonly groups: readonly number[];
  readonly title: string;
}

/** The timeline of one trial. */
export interface Timeline {
  readonly scale: Scale;
  readonly phases: readonly { readonly name: string; readonly fromMs: number; readonly toMs: number }[];
  readonly bands: readonly Band[];
  readonly flags: readonly Flag[];
  readonly groups: readonly LaneGroup[];
}

import type { Scale } from './scale.ts';

/** How a stretch of a lane looks. */
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

/** A stretch of time in a lane. Times are milliseconds since the start of the trial. */
export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly style: BarStyle;
  readonly title: string;
  /** Text inside, where there is room. */
  readonly label?: string;
}

export type TickStyle = 'ok' | 'partial' | 'fail' | 'info' | 'killed' | 'panic';

/** A moment in a lane. */
export interface Tick {
  readonly tMs: number;
  readonly style: TickStyle;
  readonly title: string;
}

/** What became of an object, one event at a time: for who follows it. */
export interface Step {
  readonly tMs: number;
  /** Place of the event in the history. */
  readonly i: number;
  readonly text: string;
}

/** Amounts over time, drawn as an area. */
export interface Chart {
  /** What the top of the chart stands for. */
  readonly top: string;
  readonly series: readonly { readonly style: ChartStyle; readonly points: readonly ChartPoint[] }[];
}

export type ChartStyle = 'ok' | 'throttled' | 'failed' | 'cost' | 'count' | 'use';

/** A stretch of time with an amount, from one height to another: 0 at the bottom of the chart, 1 at its top. */
export interface ChartPoint {
  readonly fromMs: number;
  readonly toMs: number;
  readonly low: number;
  readonly high: number;
}

export interface Lane {
  readonly label: string;
  readonly title: string;
  /** What it is about, for who looks for it; absent for what is no object. */
  readonly object?: string;
  /** The instance that its object is, is on, or has. */
  readonly instance?: string | undefined;
  readonly steps?: readonly Step[];
  readonly chart?: Chart;
  /** Belongs to the lane above it. */
  readonly isNested?: boolean;
  /** Number of the finding group that is about it. */
  readonly flagged?: number;
  readonly bars: readonly Bar[];
  readonly ticks: readonly Tick[];
}

/** Lanes of one kind. */
export interface LaneGroup {
  readonly title: string;
  readonly lanes: readonly Lane[];
  /** What the limit of lanes left out, in words; empty if nothing. */
  readonly hidden: string;
}

/** A fault: a band over all lanes from its arming to its heal. */
export interface Band {
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the fault, as the history has it: not to be trusted. */
  readonly color: string;
  readonly label: string;
  readonly title: string;
  /** When it fired; together what shares a mark, for marks would cover each other. */
  readonly firedMs: readonly (readonly number[])[];
}

/** Findings at about the same moment. */
export interface Flag {
  readonly tMs: number;
  /** Numbers of the finding groups. */
  readonly groups: readonly number[];
  readonly title: string;
}

/** All that is drawn of one trial. */
export interface Timeline {
  readonly scale: Scale;
  readonly phases: readonly { readonly name: string; readonly fromMs: number; readonly toMs: number }[];
  readonly bands: readonly Band[];
  readonly flags: readonly Flag[];
  readonly groups: readonly LaneGroup[];
}

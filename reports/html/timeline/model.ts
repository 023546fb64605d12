import type { View } from '../../../history/view.ts';
import type { Describe } from '../../describe-event.ts';
import type { FindingGroup } from '../groups.ts';
import { instanceLanes, podLanes, requestLanes, targetLane } from './lanes.ts';
import { createScale } from './scale.ts';
import type { Scale } from './scale.ts';

/** How a stretch of a lane looks. */
export type BarStyle =
  | 'pod-waiting'
  | 'pod-bound'
  | 'pod-running'
  | 'node-joining'
  | 'node-ready'
  | 'node-lost'
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

export interface Lane {
  readonly label: string;
  readonly title: string;
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
  readonly firedMs: readonly number[];
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

/** Findings closer together than this part of the timeline share a flag. */
const FLAG_DISTANCE = 0.02;

/** Instances and pods that are drawn, those with findings first; the rest is counted. */
interface LaneLimits {
  readonly instances: number;
  readonly pods: number;
}
export const LANES: LaneLimits = { instances: 30, pods: 40 };
/** Of a trial that passed there is less to look at. */
export const LANES_PASSED: LaneLimits = { instances: 10, pods: 10 };

/** Lays out one trial. Pure. */
export function layOut(view: View, findings: readonly FindingGroup[], describe: Describe, limits: LaneLimits): Timeline {
  const scale = createScale(view);
  const { endMs } = scale;
  const flagged = new Map(findings.flatMap(({ number, findings: own }) => own.map(({ object }) => [object, number] as const)));
  const groups = [
    targetLane(view, endMs),
    requestLanes(view, scale, describe),
    instanceLanes(view, endMs, flagged, limits.instances),
    podLanes(view, endMs, flagged, limits.pods),
  ];
  return {
    scale,
    phases: phasesOf(view, endMs),
    bands: bandsOf(view, endMs),
    flags: flagsOf(view, scale, findings),
    groups: groups.filter(({ lanes }) => lanes.length > 0),
  };
}

function phasesOf(view: View, endMs: number): Timeline['phases'] {
  const begun = [...view.phases.values()].sort((a, b) => a.i - b.i);
  return begun.flatMap(({ phase, t }, index) => {
    const toMs = begun[index + 1]?.t ?? endMs;
    return phase === 'over' ? [] : { name: phase, fromMs: t, toMs };
  });
}

function bandsOf(view: View, endMs: number): Band[] {
  return view.faults.map(({ armed, fired, healed }) => ({
    fromMs: armed.t,
    toMs: healed?.t ?? endMs,
    color: armed.fault.color,
    label: armed.fault.fault,
    title: `${armed.fault.fault}: ${armed.fault.description}`,
    firedMs: fired.map(({ t }) => t),
  }));
}

/** A finding stands where its last event is. */
function flagsOf(view: View, { endMs, partOf }: Scale, groups: readonly FindingGroup[]): Flag[] {
  const moments = groups
    .flatMap(({ number, code, findings }) =>
      findings.map((finding) => ({ number, code, tMs: view.events[finding.events.at(-1) ?? -1]?.t ?? endMs })),
    )
    .sort((a, b) => a.tMs - b.tMs);
  const clusters: { tMs: number; groups: Map<number, string> }[] = [];
  for (const { number, code, tMs } of moments) {
    const last = clusters.at(-1);
    if (last !== undefined && partOf(tMs) - partOf(last.tMs) < FLAG_DISTANCE) last.groups.set(number, code);
    else clusters.push({ tMs, groups: new Map([[number, code]]) });
  }
  return clusters.map(({ tMs, groups: numbers }) => ({
    tMs,
    groups: [...numbers.keys()].sort((a, b) => a - b),
    title: [...numbers].map(([number, code]) => `Finding ${number}: ${code}`).join(', '),
  }));
}

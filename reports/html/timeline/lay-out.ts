import type { FaultLife } from '../../../history/lives.ts';
import type { View } from '../../../history/view.ts';
import type { Describe } from '../../describe-event.ts';
import type { FindingGroup } from '../groups.ts';
import { chartGroups } from './charts.ts';
import { instanceLanes, podLanes, requestLanes, shownPods, strayClaimLanes, targetLane } from './lanes.ts';
import type { Band, Flag, Timeline } from './model.ts';
import { createScale } from './scale.ts';
import type { Scale } from './scale.ts';

/** Findings closer together than this part of the timeline share a flag. */
const FLAG_DISTANCE = 0.02;
/** Firings closer together than this, about the width of a mark, share one. */
const MARK_DISTANCE = 0.006;

/** Most instances and pods that are drawn, those with findings first; the rest is counted. */
interface LaneLimits {
  /** Whether successful requests are described one by one, besides being counted. */
  readonly describesSuccess: boolean;
  readonly instances: number;
  readonly pods: number;
}
export const LANES: LaneLimits = { describesSuccess: true, instances: 30, pods: 40 };
/** A trial that passed needs less detail. */
export const LANES_PASSED: LaneLimits = { describesSuccess: false, instances: 6, pods: 6 };

/** Lays out one trial. Pure. */
export function layOut(view: View, findings: readonly FindingGroup[], describe: Describe, limits: LaneLimits): Timeline {
  const scale = createScale(view);
  const { endMs } = scale;
  const flagged = new Map(findings.flatMap(({ number, findings: own }) => own.map(({ object }) => [object, number] as const)));
  const pods = shownPods(view, flagged, limits.pods);
  const groups = [
    targetLane(view, endMs),
    requestLanes(view, { scale, describe, describesSuccess: limits.describesSuccess }),
    instanceLanes(view, pods, { endMs, flagged, describe, maxLanes: limits.instances }),
    strayClaimLanes(view, { endMs, flagged, describe }),
    podLanes(view, pods, { endMs, flagged, describe }),
  ];
  return {
    scale,
    phases: phasesOf(view, endMs),
    bands: bandsOf(view.faults, scale),
    flags: flagsOf(view, scale, findings),
    groups: groups.filter(({ lanes }) => lanes.length > 0),
  };
}

/** Requests, cost and use of one trial over time, under the same faults. Pure. */
export function layOutRates(view: View): Timeline {
  const scale = createScale(view);
  return { scale, phases: phasesOf(view, scale.endMs), bands: bandsOf(view.faults, scale), flags: [], groups: chartGroups(view, scale) };
}

function phasesOf(view: View, endMs: number): Timeline['phases'] {
  const begun = [...view.phases.values()].sort((a, b) => a.i - b.i);
  return begun.flatMap(({ phase, t }, index) => {
    const toMs = begun[index + 1]?.t ?? endMs;
    return phase === 'over' ? [] : { name: phase, fromMs: t, toMs };
  });
}

/** The faults of a trial as bands. */
export function bandsOf(faults: readonly FaultLife[], { endMs, partOf }: Scale): Band[] {
  return faults.map(({ armed, fired, healed }) => ({
    fromMs: armed.t,
    toMs: healed?.t ?? endMs,
    color: armed.fault.color,
    label: armed.fault.fault,
    title: `${armed.fault.fault}: ${armed.fault.description}`,
    firedMs: clustered(
      fired.map(({ t }) => t),
      partOf,
      MARK_DISTANCE,
    ).map(({ all }) => all),
  }));
}

/** A finding is shown at its last event. */
function flagsOf(view: View, { endMs, partOf }: Scale, groups: readonly FindingGroup[]): Flag[] {
  const moments = groups
    .flatMap(({ number, code, findings }) =>
      findings.map((finding) => ({ number, code, tMs: view.events[finding.events.at(-1) ?? -1]?.t ?? endMs })),
    )
    .sort((a, b) => a.tMs - b.tMs);
  return clustered(moments, ({ tMs }) => partOf(tMs), FLAG_DISTANCE).map(({ first, all }) => {
    const codes = new Map(all.map(({ number, code }) => [number, code]));
    return {
      tMs: first.tMs,
      groups: [...codes.keys()].sort((a, b) => a - b),
      title: [...codes].map(([number, code]) => `Finding ${number}: ${code}`).join(', '),
    };
  });
}

interface Cluster<T> {
  readonly first: T;
  readonly all: T[];
}

/** Groups things that are closer to the first of their cluster than `distance`, a part of the timeline. @param things in order */
export function clustered<T>(things: readonly T[], placeOf: (thing: T) => number, distance: number): Cluster<T>[] {
  const clusters: Cluster<T>[] = [];
  for (const thing of things) {
    const last = clusters.at(-1);
    if (last !== undefined && placeOf(thing) - placeOf(last.first) < distance) last.all.push(thing);
    else clusters.push({ first: thing, all: [thing] });
  }
  return clusters;
}

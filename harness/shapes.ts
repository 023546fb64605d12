import type { Truth } from '../history/events.ts';
import { LABEL, STOP_SECONDS_ANNOTATION } from '../model/kube.ts';
import type { TopologySpreadConstraint } from '../model/kube.ts';
import { pool } from './scenario.ts';
import type { WorkloadSpec } from './scenario.ts';

/** Types on which two pods of NODE_SIZED don't fit, so that there are as many nodes as pods. */
export const NODE_TYPES = ['m6i.large', 'm6a.large', 'm7i.large'] as const;
export const NODE_SIZED = { cpu: '1500m', memory: '2Gi' } as const;
/** Three of them fill a node of two CPUs. */
export const THIRD_SIZED = { cpu: '600m', memory: '512Mi' } as const;
/** A pool's single type: pods that don't fit on other nodes stay where they are. */
export const ONE_TYPE = { instanceTypes: ['m6i.large'] } as const;
/** One pool of NODE_TYPES, on demand: nine offerings. */
export const NODE_POOLS = [pool('default', { instanceTypes: NODE_TYPES })];

/** At most one pod more in any zone than in any other: for zones that have a node. */
export const SPREAD_OVER_ZONES = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule' } as const;
/** Prefers an even spread over zones, but schedules anyway. */
export const PREFERS_ALL_ZONES = { ...SPREAD_OVER_ZONES, whenUnsatisfiable: 'ScheduleAnyway' } as const satisfies TopologySpreadConstraint;

/** Annotations of a user's pods that tell any autoscaler not to disrupt them. */
export const OPTED_OUT = { 'karpenter.sh/do-not-disrupt': 'true', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } as const;

/** Pods that need this many seconds to stop once they are told to, and this grace period. */
export function endingSlowly(needs: {
  readonly seconds: number;
  readonly graceSeconds: number;
}): Pick<WorkloadSpec, 'graceSeconds' | 'annotations'> {
  return { graceSeconds: needs.graceSeconds, annotations: { [STOP_SECONDS_ANNOTATION]: String(needs.seconds) } };
}

/** Pods that can never be served. @param why not */
export const impossible = (why: string): Truth => ({ kind: 'impossible', why });

/** Pods to which nothing is owed, not even a word: others hold them back, or nobody knows whether a launch helps. @param why not */
export const owedNothing = (why: string): Truth => ({ kind: 'impossible', why, mayBeSilent: true });

/** Pods that can only be served once the faults are healed. @param why not before */
export const servedAfterHeal = (why: string): Truth => ({ kind: 'schedulable-after-heal', why });

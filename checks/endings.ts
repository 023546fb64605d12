import type { InstanceLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';

/** A point in a history. */
interface Moment {
  readonly i: number;
  readonly t: number;
}

/** Whether an instance was already lost: its end had been announced for then, or its node was not ready. */
export function isLost(view: View, instance: InstanceLife, { i: index, t: nowMs }: Moment): boolean {
  const readiness = view.nodes
    .filter((node) => node.instance === instance.id)
    .flatMap(({ steps }) => steps.filter(({ to, i }) => (to === 'ready' || to === 'not-ready') && i < index));
  return (
    readiness.at(-1)?.to === 'not-ready' ||
    view.notices.some(({ instance: id, endsAtMs }) => id === instance.id && endsAtMs !== undefined && endsAtMs <= nowMs)
  );
}

/** The first sign that an instance has to go: its node or claim was marked for good. Undefined if there was none. */
export function leavingOf(view: View, instance: InstanceLife): Moment | undefined {
  const ofNodes = view.nodes
    .filter((node) => node.instance === instance.id)
    .flatMap(({ steps }) => {
      const uncordonedAt = steps.findLast(({ to }) => to === 'uncordoned')?.i ?? -1;
      return steps.filter(({ to, i }) => (to === 'cordoned' && i > uncordonedAt) || to === 'terminating');
    });
  const ofClaims = view.claims.filter((claim) => claim.instance === instance.id).flatMap(({ terminating }) => terminating ?? []);
  return [...ofNodes, ...ofClaims].sort((a, b) => a.i - b.i)[0];
}

/**
 * The deadline for an instance that has to go, from its pool's limit, in milliseconds since the start of the trial; undefined
 * if its drain is not limited. If every pool has a limit, the longest one is used, because only the target knows which pool
 * an instance belongs to.
 */
export function deadlineOf(view: View, instance: InstanceLife): number | undefined {
  const limits = view.pools.map(({ pool }) => pool.terminationGracePeriodMs);
  const stated = limits.filter((limit) => limit !== undefined);
  const leaving = leavingOf(view, instance);
  if (leaving === undefined || stated.length === 0 || stated.length < limits.length) return undefined;
  return leaving.t + Math.max(...stated);
}

/** Times in objects and grace periods are whole seconds: a time computed from one and rounded again may be this early. */
export const ROUNDED_MS = 2_000;

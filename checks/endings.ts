import type { InstanceLife } from '../history/lives.ts';
import { claimOf, nodesOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import { ownPools } from './departures.ts';

/** A point in a history. */
interface Moment {
  readonly i: number;
  readonly t: number;
}

/** Whether an instance was already lost: its end had been announced for then, or its node was not ready. */
export function isLost(view: View, instance: InstanceLife, { i: index, t: nowMs }: Moment): boolean {
  const readiness = nodesOf(view, instance).flatMap(({ steps }) =>
    steps.filter(({ to, i }) => (to === 'ready' || to === 'not-ready') && i < index),
  );
  return (
    readiness.at(-1)?.to === 'not-ready' ||
    view.notices.some(({ instance: id, endsAtMs }) => id === instance.id && endsAtMs !== undefined && endsAtMs <= nowMs)
  );
}

/** The first sign that an instance has to go: its node or claim was marked for good. Undefined if there was none. */
export function leavingOf(view: View, instance: InstanceLife): Moment | undefined {
  const ofNodes = nodesOf(view, instance).flatMap(({ steps }) => {
    const uncordonedAt = steps.findLast(({ to }) => to === 'uncordoned')?.i ?? -1;
    return steps.filter(({ to, i }) => (to === 'cordoned' && i > uncordonedAt) || to === 'terminating');
  });
  const ofClaims = (view.claimsByInstance.get(instance.id) ?? []).flatMap(({ terminating }) => terminating ?? []);
  return [...ofNodes, ...ofClaims].sort((a, b) => a.i - b.i)[0];
}

/** A drain that ends at a deadline, whatever is still on the node. Times are milliseconds since the start of the trial. */
interface LimitedDrain {
  /** The deletion of the claim, or of the Node if it has no claim. */
  readonly sinceMs: number;
  /** The deadline by the shortest limit that may apply; Infinity if none does. */
  readonly earliestMs: number;
  /** The deadline by the longest limit that may apply; Infinity if it may be that none does. */
  readonly latestMs: number;
}

/**
 * The drain of an instance's node as its pool limits it; undefined if it was not deleted before the instance ended, since a cordon
 * alone starts no deadline. The limit is that of the node's pool at the launch: the claim keeps it when the pool changes. Source:
 * Karpenter, `terminationGracePeriod` of NodeClaims.
 */
export function drainOf(view: View, instance: InstanceLife): LimitedDrain | undefined {
  const isBeforeEnd = ({ i }: Moment): boolean => i < (instance.ending?.i ?? Infinity);
  const claim = claimOf(view, instance.id);
  const nodes = nodesOf(view, instance);
  const ofNodes = nodes.flatMap(({ steps }) => steps.filter(({ to }) => to === 'terminating'));
  const since = [claim?.terminating, ...ofNodes].find((step) => step !== undefined && isBeforeEnd(step));
  if (since === undefined) return undefined;
  const known = poolsKnownAt(view, claim?.created ?? instance.launched);
  const limits = ownPools(known, instance, nodes).map(({ pool }) => pool.terminationGracePeriodMs ?? Infinity);
  if (limits.length === 0) limits.push(Infinity);
  return { sinceMs: since.t, earliestMs: since.t + Math.min(...limits), latestMs: since.t + Math.max(...limits) };
}

/** The pools as a target may know them at a moment: as last applied, and as before if that was too recent to be noticed. */
function poolsKnownAt({ pools, bounds }: View, { i: index, t: nowMs }: Moment): View['pools'] {
  const lagMs = bounds.get('launch-lag')?.value ?? 0;
  const isOutdated = ({ i, pool }: View['pools'][number]): boolean =>
    pools.some((later) => later.pool.name === pool.name && later.i > i && later.i < index && later.t + lagMs < nowMs);
  return pools.filter((one) => one.i < index && !isOutdated(one));
}

/** Times in objects and grace periods are whole seconds: a time computed from one and rounded again may be this early. */
export const ROUNDED_MS = 2_000;

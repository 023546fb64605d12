import type { LedgerEntry } from '../history/ledger.ts';
import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Moment } from './departures.ts';

/**
 * Before the target's claim says that a node is initialized, it is not in use, and giving it up is no disruption, unless it has pods.
 * Source: Karpenter, `BuildDisruptionBudgetMapping`, v1.8.
 */
export function isInUse(view: View, entry: LedgerEntry, moment: Moment): boolean {
  return isInitialized(entry, moment) || podsOf(view, entry).some(({ scheduled }) => (scheduled?.i ?? Infinity) < moment.i);
}

/** Where there are no claims, whether a node was ever Ready is all that there is to know. */
export function isInitialized({ claim }: LedgerEntry, { i: index }: Moment): boolean {
  return claim === undefined || claim.steps.some(({ to, i }) => to === 'initialized' && i < index);
}

/** Pods of workloads that were scheduled to its nodes, without those of DaemonSets. */
export function podsOf(view: View, { nodes }: LedgerEntry): PodLife[] {
  const uids = new Set(nodes.map(({ uid }) => uid));
  return view.pods.filter((pod) => {
    if (pod.node === undefined || !uids.has(pod.node.uid)) return false;
    const kind = view.workloads.get(pod.workload ?? '')?.truth.kind;
    return kind !== undefined && kind !== 'daemon';
  });
}

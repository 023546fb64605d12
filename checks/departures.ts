import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { NodeLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { isWithin } from './launches-within-pools.ts';

/** A moment of a history: of the event that was it. */
export interface Moment {
  readonly i: number;
  readonly t: number;
}

/** A node that the target took. */
export interface Departure {
  readonly entry: LedgerEntry;
  readonly node: NodeLife;
  /** From then on it was past return: its claim or Node was deleted, or its instance ended. */
  readonly at: Moment;
  /** When it was first kept from new pods, or `at`: the decision is no younger. */
  readonly decided: Moment;
  /** Nothing was wrong with it, and nobody had asked for it to go. */
  readonly isVoluntary: boolean;
}

/** The nodes that the target took, in order: of those that were Ready once. */
export function departuresOf(view: View): Departure[] {
  return targetsInstances(view)
    .flatMap((entry) => {
      const node = entry.nodes.find(({ ready }) => ready !== undefined);
      if (node === undefined) return [];
      const at = departureOf(entry, node);
      if (at === undefined) return [];
      const decided = node.steps.findLast(({ to, i }) => to === 'cordoned' && i < at.i) ?? at;
      return [{ entry, node, at, decided, isVoluntary: isVoluntary(view, entry, node, at) }];
    })
    .sort((a, b) => a.at.i - b.at.i);
}

/** The pool whose node an instance is; undefined where several pools allow it, or none. */
export function poolOf(view: View, { instance }: LedgerEntry): string | undefined {
  const [name, ...others] = new Set(view.pools.filter(({ pool }) => isWithin(pool, instance)).map(({ pool }) => pool.name));
  return others.length === 0 ? name : undefined;
}

/** An end that the target did not ask for is none of its departures. */
function departureOf({ claim, instance, endRequest }: LedgerEntry, node: NodeLife): Moment | undefined {
  const terminating = node.steps.find(({ to }) => to === 'terminating');
  const ended = instance.ending;
  const steps = [claim?.terminating, terminating, endRequest === undefined ? undefined : ended].filter((step) => step !== undefined);
  const [first] = steps.sort((a, b) => a.i - b.i);
  const isLost = endRequest === undefined && ended !== undefined && (first === undefined || ended.i < first.i);
  return isLost ? undefined : first;
}

function isVoluntary(view: View, entry: LedgerEntry, node: NodeLife, at: Moment): boolean {
  const removal = view.phases.get('remove');
  if (removal !== undefined && removal.i < at.i) return false;
  if (isNotReady(node, at.i)) return false;
  if (view.notices.some(({ instance, sent }) => instance === entry.instance.id && sent.i < at.i && sent.kind !== 'rebalance')) return false;
  const allowing = view.pools.filter(({ pool }) => isWithin(pool, entry.instance));
  if (allowing.some(({ pool }) => view.withdrawnPools.some((gone) => gone.pool.name === pool.name && gone.i < at.i))) return false;
  return !allowing.some(({ pool }) => pool.expireAfterMs !== undefined && at.t - entry.launchedMs >= pool.expireAfterMs);
}

/** Whether a node that had been Ready was not, at that event. */
export function isNotReady({ steps }: NodeLife, index: number): boolean {
  return steps.findLast(({ to, i }) => (to === 'ready' || to === 'not-ready') && i < index)?.to === 'not-ready';
}

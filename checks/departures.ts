import { z } from 'zod';
import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { FaultLife, InstanceLife, NodeLife, RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { isWithin } from './launches-within-pools.ts';

const DELETION = 'delete nodes';
/** Requests of the target that delete Nodes: one, or all that a selector names. */
const DELETIONS: readonly string[] = [DELETION, 'deletecollection nodes'];

/** A point in a history: the event at it. */
export interface Moment {
  readonly i: number;
  readonly t: number;
}

/** A node that the target disrupted. */
export interface Departure {
  readonly entry: LedgerEntry;
  readonly node: NodeLife;
  /** The point of no return: a pod on it was evicted, its claim or Node was deleted, or its instance was terminated. */
  readonly at: Moment;
  /** When it was closed to new pods for that, or `at`: the decision was made by then. */
  readonly decided: Moment;
  /** The same, but only if the target closed it: from then on the target was disrupting the node. */
  readonly begun: Moment;
  /** Nothing was wrong with the node, nobody had asked for its removal, and nobody else had deleted its Node before. */
  readonly isVoluntary: boolean;
}

/** The nodes that the target disrupted, of those that were ever Ready, in the order in which the disruption began. */
export function departuresOf(view: View): Departure[] {
  const evictions = evictionsOf(view);
  const cordoning = requestsAbout(view, isCordoning);
  const deletions = [...view.requests.values()].filter(({ start }) => DELETIONS.includes(start.operation));
  return targetsInstances(view)
    .flatMap((entry) => {
      const node = entry.nodes.find(({ ready }) => ready !== undefined);
      if (node === undefined) return [];
      const last = departureOf(entry, node);
      if (last === undefined) return [];
      // Evictions before a cordon that was undone belong to an earlier attempt, which was abandoned.
      const sinceIndex = lastUncordonBefore(node, last);
      const evicted = evictions.get(node.uid)?.find(({ i }) => i > sinceIndex && i < last.i);
      const at = evicted ?? last;
      const cordon = node.steps.findLast(({ to, i }) => to === 'cordoned' && i > sinceIndex && i < at.i);
      const decided = cordon ?? at;
      const isItsOwn = cordon !== undefined && cordoning.get(node.object)?.some((request) => isDuring(request, cordon)) === true;
      const begun = isItsOwn ? cordon : at;
      const isVoluntary =
        !isDeletedByOthers(view, node, begun, deletions) && [begun, at].every((moment) => isVoluntaryAt(view, entry, node, moment));
      return [{ entry, node, at, decided, begun, isVoluntary }];
    })
    .sort((a, b) => a.begun.i - b.begun.i);
}

/** By the node's uid: when the target evicted or deleted pods there that were meant to keep running, in order. */
function evictionsOf(view: View): Map<string, Moment[]> {
  const requests = requestsAbout(view, ({ operation }) => operation === 'create pods/eviction' || operation === 'delete pods');
  const moments = new Map<string, Moment[]>();
  for (const pod of view.pods) {
    const known = view.workloads.get(pod.workload ?? '');
    if (pod.node === undefined || known === undefined || known.truth.kind === 'daemon') continue;
    const leaving = pod.terminating ?? pod.gone;
    if (pod.finished !== undefined && pod.finished.i < (leaving?.i ?? Infinity)) continue;
    const request = leaving === undefined ? undefined : requests.get(pod.object)?.find((one) => isDuring(one, leaving));
    if (request === undefined) continue;
    moments.set(pod.node.uid, [...(moments.get(pod.node.uid) ?? []), request.start]);
  }
  for (const ofNode of moments.values()) ofNode.sort((a, b) => a.i - b.i);
  return moments;
}

function isCordoning({ operation }: RequestLife['start']): boolean {
  return operation === 'patch nodes' || operation === 'update nodes';
}

/** The target's requests of a kind that had an effect, by the object that they name. */
export function requestsAbout(view: View, isMeant: (start: RequestLife['start']) => boolean): Map<string, RequestLife[]> {
  const applied = [...view.requests.values()].filter(({ start, effect }) => isMeant(start) && effect?.effect.kind === 'applied');
  return Map.groupBy(applied, ({ start }) => start.object ?? '');
}

/** Whether a step occurred while a request was being carried out: the history has no better link between them. */
export function isDuring({ start, effect }: RequestLife, { i }: Moment): boolean {
  return start.i < i && i < (effect?.i ?? -1);
}

/** The target's requests that deleted claims and Nodes, by object. */
export function ownDeletionsOf(view: View): ReadonlyMap<string, readonly RequestLife[]> {
  return requestsAbout(view, ({ operation }) => operation === 'delete nodeclaims' || operation === DELETION);
}

/** Whether the target asked for it: users delete claims and Nodes, too. @param deletions the target's, by object */
export function isItsOwn({ entry: { claim }, node, at }: Departure, deletions: ReadonlyMap<string, readonly RequestLife[]>): boolean {
  const isOf = (object: string): boolean => deletions.get(object)?.some((request) => isDuring(request, at)) === true;
  if (claim !== undefined && at.i === claim.terminating?.i) return isOf(claim.object);
  if (at.i === node.steps.find(({ to }) => to === 'terminating')?.i) return isOf(node.object);
  return true;
}

/** Index of the last uncordon of a node before a moment; -1 if there was none. */
function lastUncordonBefore({ steps }: NodeLife, moment: Moment): number {
  return steps.findLast(({ to, i }) => to === 'uncordoned' && i < moment.i)?.i ?? -1;
}

/** The names of the pools that an instance's node may belong to: the one that its label names, or else those that allow it. */
export function poolsOf(view: View, entry: LedgerEntry): ReadonlySet<string> {
  return new Set(poolEventsOf(view, entry).map(({ pool }) => pool.name));
}

function poolEventsOf(view: View, { instance, nodes }: LedgerEntry): View['pools'] {
  return ownPools(view.pools, instance, nodes);
}

/** A pool as it was last applied before a moment. */
export function poolAt(view: View, name: string, { i: index }: Moment): View['pools'][number]['pool'] | undefined {
  return view.pools.findLast(({ pool, i }) => pool.name === name && i < index)?.pool;
}

/** Of some pools, those to which an instance's node may belong: the one that its label names, or else those that allow it. */
export function ownPools(pools: View['pools'], instance: InstanceLife, nodes: readonly NodeLife[]): View['pools'] {
  const named = nodes.flatMap(({ ready }) => ready?.pool ?? [])[0];
  const own = pools.filter(({ pool }) => pool.name === named);
  return own.length > 0 ? own : pools.filter(({ pool }) => isWithin(pool, instance));
}

/** The point of no return; undefined if the target did not cause the end. */
function departureOf({ claim, instance, endRequest }: LedgerEntry, node: NodeLife): Moment | undefined {
  const terminating = node.steps.find(({ to }) => to === 'terminating');
  const ended = instance.ending;
  const steps = [claim?.terminating, terminating, endRequest === undefined ? undefined : ended].filter((step) => step !== undefined);
  const [first] = steps.sort((a, b) => a.i - b.i);
  const isLost = endRequest === undefined && ended !== undefined && (first === undefined || ended.i < first.i);
  return isLost ? undefined : first;
}

const SECOND_MS = 1_000;

function isVoluntaryAt(view: View, entry: LedgerEntry, node: NodeLife, at: Moment): boolean {
  const removal = view.phases.get('remove');
  if (removal !== undefined && removal.i < at.i) return false;
  if (isNotReady(node, at.i)) return false;
  if (view.notices.some(({ instance, sent }) => instance === entry.instance.id && sent.i < at.i && sent.kind !== 'rebalance')) return false;
  const allowing = poolEventsOf(view, entry);
  if (allowing.some(({ pool }) => view.withdrawnPools.some((gone) => gone.pool.name === pool.name && gone.i < at.i))) return false;
  // As Karpenter counts, a node is as old as its claim, whose launch may take long. Times in objects are whole seconds.
  const bornMs = Math.min(entry.launchedMs, Math.floor((entry.claim?.created?.t ?? Infinity) / SECOND_MS) * SECOND_MS);
  const ageMs = at.t + aheadMs(view, at) - bornMs;
  return !allowing.some(({ pool }) => pool.expireAfterMs !== undefined && ageMs >= pool.expireAfterMs);
}

/** The parameter of faults that set the target's clock wrong. */
const skewSchema = z.strictObject({ byMs: z.number() });

/** By how much a fault puts the target's clock ahead of all others, in ms, negative if behind; undefined if it is about something else. */
export function skewOf({ fault }: FaultLife['armed']): number | undefined {
  return skewSchema.safeParse(fault.params).data?.byMs;
}

/** How far a fault had put the target's clock ahead of all others, in ms, 0 if behind: by that clock, nodes are older. */
function aheadMs(view: View, { i: index }: Moment): number {
  const active = view.faults.filter(({ armed, healed }) => armed.i < index && (healed?.i ?? Infinity) > index);
  const byMs = active.map(({ armed }) => skewOf(armed) ?? 0);
  return Math.max(
    0,
    byMs.reduce((sum, one) => sum + one, 0),
  );
}

/** Whether somebody else had deleted a Node by then. Where the target's requests are not seen, that is unknown, and assumed not. */
function isDeletedByOthers(view: View, node: NodeLife, { i: index }: Moment, deletions: readonly RequestLife[]): boolean {
  if (view.begin?.world.capabilities.includes('wire.kube') !== true) return false;
  const marked = node.steps.find(({ to }) => to === 'terminating' || to === 'gone');
  if (marked === undefined || marked.i > index) return false;
  return !deletions.some(({ start, effect }) => {
    const isAbout = start.operation !== DELETION || start.object === node.object;
    // The effect may be recorded late, or never.
    const mayHaveEffect = effect === undefined || ['applied', 'unobservable'].includes(effect.effect.kind);
    return isAbout && mayHaveEffect && start.i > (node.steps[0]?.i ?? 0) && start.i < marked.i;
  });
}

/** Whether a node that had been Ready was not Ready at that event. */
export function isNotReady({ steps }: NodeLife, index: number): boolean {
  return steps.findLast(({ to, i }) => (to === 'ready' || to === 'not-ready') && i < index)?.to === 'not-ready';
}

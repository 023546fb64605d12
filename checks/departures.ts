import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { NodeLife, RequestLife } from '../history/lives.ts';
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
  /** From then on it was past return: a pod on it was evicted, its claim or Node was deleted, or its instance ended. */
  readonly at: Moment;
  /** When it was kept from new pods for that, or `at`: the decision is no younger. */
  readonly decided: Moment;
  /** The same as far as it was the target that kept them away: since then the node has been on its way out by its doing. */
  readonly begun: Moment;
  /** Nothing was wrong with it, and nobody had asked for it to go. */
  readonly isVoluntary: boolean;
}

/** The nodes that the target took, in the order in which it began to: of those that were Ready once. */
export function departuresOf(view: View): Departure[] {
  const emptying = emptyingOf(view);
  const cordoning = requestsAbout(view, isCordoning);
  return targetsInstances(view)
    .flatMap((entry) => {
      const node = entry.nodes.find(({ ready }) => ready !== undefined);
      if (node === undefined) return [];
      const last = departureOf(entry, node);
      if (last === undefined) return [];
      // What it did before a cordon that was given back was for another end, which did not come.
      const sinceIndex = givenBackBefore(node, last);
      const evicted = emptying.get(node.uid)?.find(({ i }) => i > sinceIndex && i < last.i);
      const at = evicted ?? last;
      const cordon = node.steps.findLast(({ to, i }) => to === 'cordoned' && i > sinceIndex && i < at.i);
      const decided = cordon ?? at;
      const isItsOwn = cordon !== undefined && cordoning.get(node.object)?.some((request) => isDuring(request, cordon)) === true;
      const begun = isItsOwn ? cordon : at;
      const isVoluntary = [begun, at].every((moment) => isVoluntaryAt(view, entry, node, moment));
      return [{ entry, node, at, decided, begun, isVoluntary }];
    })
    .sort((a, b) => a.begun.i - b.begun.i);
}

/** By the node's uid: when the target evicted or deleted pods there that were to run on, in order. */
function emptyingOf(view: View): Map<string, Moment[]> {
  const requests = requestsAbout(view, ({ operation }) => operation === 'create pods/eviction' || operation === 'delete pods');
  const moments = new Map<string, Moment[]>();
  for (const pod of view.pods) {
    const known = view.workloads.get(pod.workload ?? '');
    if (pod.node === undefined || known === undefined || known.truth.kind === 'daemon') continue;
    const leaving = pod.terminating ?? pod.gone;
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

/** The target's requests of a kind that did something, by the object that they name. */
export function requestsAbout(view: View, isMeant: (start: RequestLife['start']) => boolean): Map<string, RequestLife[]> {
  const applied = [...view.requests.values()].filter(({ start, effect }) => isMeant(start) && effect?.effect.kind === 'applied');
  return Map.groupBy(applied, ({ start }) => start.object ?? '');
}

/** Whether a step came about while a request was being carried out: nothing else says whose doing it was. */
export function isDuring({ start, effect }: RequestLife, { i }: Moment): boolean {
  return start.i < i && i < (effect?.i ?? -1);
}

/** The last time before a moment that pods could come to a node again, and were to; -1 if there was none. */
function givenBackBefore({ steps }: NodeLife, moment: Moment): number {
  return steps.findLast(({ to, i }) => to === 'uncordoned' && i < moment.i)?.i ?? -1;
}

/** The names of the pools whose node an instance may be: those that allow it. */
export function poolsOf(view: View, { instance }: LedgerEntry): ReadonlySet<string> {
  return new Set(view.pools.filter(({ pool }) => isWithin(pool, instance)).map(({ pool }) => pool.name));
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

function isVoluntaryAt(view: View, entry: LedgerEntry, node: NodeLife, at: Moment): boolean {
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

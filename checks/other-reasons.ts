import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { FaultLife, RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { skewOf } from './departures.ts';
import type { Departure } from './departures.ts';

/**
 * Whether the target removed a node to save costs, as far as the history shows: the node had always been healthy, its pools had not changed
 * since the target decided to launch it, nothing had been announced about its instance, and no fault had fired that may be a reason.
 */
export function hasNoOtherReason(
  view: View,
  { entry, node, at, isVoluntary }: Departure,
  { pools, lagMs }: { readonly pools: readonly string[]; readonly lagMs: number },
): boolean {
  const { claim, request, instance } = entry;
  const madeFromMs = (claim?.created ?? request?.start ?? instance.launched).t - lagMs;
  const isBefore = ({ i }: { readonly i: number }): boolean => i < at.i;
  return (
    isVoluntary &&
    !node.steps.some((step) => step.to === 'not-ready' && isBefore(step)) &&
    !pools.some((name) => changesOf(view, name).some((change) => change.t > madeFromMs && isBefore(change))) &&
    !view.notices.some(({ instance, sent }) => instance === entry.instance.id && isBefore(sent)) &&
    !view.faults.some((fault) => mayBeReason(view, fault, { fired: fault.fired.filter(isBefore), lagMs }))
  );
}

const DOES_NOT_EXIST = /NotFound|NoSuchEntity|DoesNotExist|NonExistent/;

/** What a target notes about its claims. */
const NOTES: readonly string[] = ['patch nodeclaims/status', 'update nodeclaims/status'];

/** Such a note that was written and answered late, but within the lag that a target's knowledge may have: no node has to go for that. */
function isNoteInTime({ start, effect, end }: RequestLife, lagMs: number): boolean {
  const isWritten = effect?.effect.kind === 'applied' && end?.outcome === 'ok';
  return NOTES.includes(start.operation) && isWritten && end.t - start.t <= lagMs;
}

/**
 * Whether a fault may be why a healthy node with pods was removed: it did something to nodes, hid something of the cluster, or delayed what
 * was asked for earlier. A wrong clock is no reason, nor is a request that only failed, however often: it says nothing new about a node that runs pods.
 */
function mayBeReason(
  view: View,
  { armed }: FaultLife,
  { fired, lagMs }: { readonly fired: FaultLife['fired']; readonly lagMs: number },
): boolean {
  if (fired.length === 0 || skewOf(armed) !== undefined) return false;
  if (fired.length >= MAX_FIRINGS_RECORDED) return true;
  return fired.some(({ span = -1 }) => {
    const request = view.requests.get(span);
    const { start, effect, end } = request ?? {};
    if (request !== undefined && isNoteInTime(request, lagMs)) return false;
    if (start === undefined || (start.wire === 'kube' && /^(list|watch) /.test(start.operation))) return true;
    const isAnswer = end === undefined || end.outcome === 'ok' || DOES_NOT_EXIST.test(end.code ?? '');
    return isAnswer || effect?.effect.kind === 'applied';
  });
}

/** The versions of a pool that replaced another. */
function changesOf(view: View, name: string): View['pools'] {
  return view.pools.filter(({ pool }) => pool.name === name).slice(1);
}

import { gapDueMs, gapsOf, setbacksOf, targetsInstances } from '../history/ledger.ts';
import type { Gap, LedgerEntry, Setback } from '../history/ledger.ts';
import { NEVER_REGISTERS } from '../history/events.ts';
import type { Bound, EventOf } from '../history/events.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From the launch to the termination of an instance that never became a node. */
const GAP_BOUND = 'instance-without-node';
/** From the removal of all workloads and pools to the end of everything created for them. */
const TEARDOWN_BOUND = 'teardown';

/**
 * The rule of the ledger: at any moment, each instance that the target's own requests launched, tagged or not, is
 * terminating, or live with a registered node, or live without a node but within the bound; after the last phase none is
 * live.
 *
 * An instance that is shutting down costs nothing and needs no further action: it counts as terminated. Whether that came in
 * time is judged by the `world-settled` check.
 */
export const noLeakedInstances: Check = {
  name: 'no-leaked-instances',
  summary: 'every instance that the target launched becomes a node or is terminated, and none is left at the end',
  findsLeaks: true,
  codes: {
    'leaked-instance': "one of the target's instances was still live when the trial was over",
    'nodeless-instance': 'an instance never became a node and was not terminated within the bound',
    'orphaned-instance': 'an instance was still live after the bound although its Node was gone',
  },
  judge: (view) => {
    const entries = targetsInstances(view);
    if (entries.length === 0) return undefined;
    return mergeParts([
      withBound(view, GAP_BOUND, (bound) => judgeGaps(view, entries, bound)),
      withBound(view, TEARDOWN_BOUND, (bound) => judgeEnd(view, entries, bound)),
    ]);
  },
};

/** Judges the whole trial. */
function judgeGaps(view: View, entries: readonly LedgerEntry[], bound: Bound): Part {
  const gaps = entries.flatMap((entry) => gapsOf(entry, view.endMs).map((gap) => ({ entry, gap })));
  const [setbacks, ofAnyRequest] = [setbacksOf(view), setbacksOf(view, 'any-request')];
  const overdue = gaps.filter(({ entry, gap }) => {
    // For the target its time begins once it could write down what it launched. What is overdue by then stays so.
    const linkedMs = entry.claim?.linked?.t ?? 0;
    const isEarly = ({ fromMs }: Setback): boolean => linkedMs <= gap.fromMs + bound.value && fromMs < linkedMs;
    const counted = [...ofAnyRequest.filter(isEarly), ...setbacks.filter((one) => !isEarly(one))];
    const dueMs = gapDueMs(counted, gap, bound.value);
    return dueMs !== undefined && gap.toMs > dueMs;
  });
  const measurements = [
    measure(
      bound,
      gaps.map(({ entry, gap }) => ({ value: gap.toMs - gap.fromMs, object: entry.instance.object })),
    ),
  ];
  const summary = `${overdue.length} of ${count(entries.length, 'instance')} went too long without a node`;
  return safetyPart(
    view,
    overdue.map(({ entry, gap }) => gapFinding(view, entry, gap, bound)),
    summary,
    measurements,
  );
}

/** Judges the state after the last phase. */
function judgeEnd(view: View, entries: readonly LedgerEntry[], bound: Bound): Part {
  const over = view.phases.get('over');
  const remove = view.phases.get('remove');
  const live = over === undefined ? [] : entries.filter(({ instance }) => (instance.ending?.i ?? Infinity) > over.i);
  const ends = remove === undefined ? [] : entries.flatMap(({ instance }) => endAfter(instance, remove.t));
  const summary = over === undefined ? 'no instance is known to be left' : `${live.length} live when the trial was over`;
  const findings = live.map((entry) => leakFinding(entry, view));
  return safetyPart(view, findings, summary, [measure(bound, ends)]);
}

function endAfter({ terminated, object }: LedgerEntry['instance'], fromMs: number): { value: number; object: string }[] {
  return terminated === undefined || terminated.t < fromMs ? [] : [{ value: terminated.t - fromMs, object }];
}

function gapFinding(view: View, entry: LedgerEntry, { fromMs, toMs, lost }: Gap, bound: Bound): Finding {
  const what =
    lost === undefined
      ? 'was live without a node'
      : `stayed live without its node ${lost.name}, which was removed at ${duration(lost.gone?.t ?? fromMs)},`;
  return {
    code: lost === undefined ? 'nodeless-instance' : 'orphaned-instance',
    object: entry.instance.object,
    events: [...evidence(entry), ...indexes(neverRegisters(view, entry))],
    message: `Instance ${entry.instance.id} (${describe(entry)}) ${what} for ${duration(toMs - fromMs)} (${nameBound(bound)}).${whyNever(view, entry)}`,
  };
}

function leakFinding(entry: LedgerEntry, view: View): Finding {
  const node = entry.nodes.at(-1);
  const state =
    node === undefined
      ? 'It never became a node'
      : node.gone === undefined
        ? `It is node ${node.name}`
        : `Its node ${node.name} was removed`;
  const claim =
    entry.claim === undefined
      ? 'no claim referred to it'
      : `claim ${entry.claim.name}${entry.claim.gone === undefined ? '' : ', which was removed,'} referred to it`;
  return {
    code: 'leaked-instance',
    object: entry.instance.object,
    events: [...evidence(entry), ...indexes([...neverRegisters(view, entry), view.phases.get('over')])],
    message: `Instance ${entry.instance.id} (${describe(entry)}) is still live after all workloads and pools were removed. ${state}; ${claim}.${whyNever(view, entry)}`,
  };
}

/** What the world reported about an instance that can't become a node. */
function neverRegisters(view: View, { instance }: LedgerEntry): EventOf<'said'>[] {
  return view.said.filter(
    ({ about, reason, principal }) => about === instance.object && reason === NEVER_REGISTERS && principal === 'node',
  );
}

function whyNever(view: View, entry: LedgerEntry): string {
  const [said] = neverRegisters(view, entry);
  return said === undefined ? '' : ` It could not become a node: ${said.message}.`;
}

function describe({ instance, request, token }: LedgerEntry): string {
  const how =
    request === undefined
      ? 'by a request that was not observed'
      : `by ${request.start.operation}, incarnation ${request.start.incarnation}`;
  const answer = request?.end?.outcome === 'info' ? ', the answer to which never reached the target' : '';
  return `${instance.capacityType} ${instance.instanceType} in ${instance.zone}, launched at ${duration(instance.launched.t)} ${how}${token === undefined ? '' : `, token ${token}`}${answer}`;
}

function evidence({ instance, request, nodes, claim }: LedgerEntry): number[] {
  return indexes([...eventsOf(request), ...instance.steps, ...nodes.flatMap(({ steps }) => steps), ...(claim?.steps ?? [])]);
}

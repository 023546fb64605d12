import type { Bound, EventOf, Expectation } from '../history/events.ts';
import { targetsInstances } from '../history/ledger.ts';
import { instanceOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

type Stated = EventOf<'expectation'> & { readonly expectation: Extract<Expectation, { kind: 'consolidated' }> };

/**
 * The pods of a scenario are consolidated onto as few nodes as it says they need, within the bound, and stay there. At the end of every
 * trial, no node is left whose pods fit on another one.
 */
export const consolidation: Check = {
  name: 'consolidation',
  summary: 'pods end up on no more nodes than they need, within the bound',
  codes: {
    'not-consolidated': 'after the bound there were more instances than the pods need',
    'underused-node': 'after the bound there was a node whose pods fitted on another one, although its pool removes such nodes',
  },
  judge: (view) =>
    mergeParts([
      ...view.stated
        .filter((stated): stated is Stated => stated.expectation.kind === 'consolidated')
        .map((stated) => withBound(view, stated.expectation.bound, (bound) => judgeStated(view, stated, bound))),
      ...view.stated.flatMap((stated) => {
        const { expectation } = stated;
        if (expectation.kind !== 'underused-removed') return [];
        return [withBound(view, expectation.bound, (bound) => judgeUnderused(view, stated, bound))];
      }),
    ]),
};

/** The harness looked up which nodes these were, and waited as long as others went. */
function judgeUnderused(view: View, stated: EventOf<'expectation'>, bound: Bound): Part {
  const looked = view.convergence.find(({ phase }) => phase === 'consolidate');
  if (looked === undefined) return unknownPart('the trial ended before its nodes had to be consolidated');
  const settled = view.convergence.find(({ phase }) => phase === 'settle') ?? stated;
  const findings = looked.waiting.map(({ object, why }) => ({
    code: 'underused-node',
    object,
    events: indexes([settled, ...stepsOf(view, object), looked]),
    message: `${object} was still there ${duration(looked.t - settled.t)} after the world had settled, although ${why}; no node had gone for longer than a removal takes (${nameBound(bound)}).`,
  }));
  const summary =
    findings.length === 0
      ? 'no node is left whose pods fit on another one'
      : `${count(findings.length, 'node')} left whose pods fit on another one (${nameBound(bound)})`;
  return { verdict: findings.length === 0 ? 'pass' : 'fail', summary, findings, measurements: [] };
}

/** Of a node, and of the instance that it is. */
function stepsOf(view: View, object: string): readonly { readonly i: number }[] {
  const node = view.nodes.find((one) => one.object === object);
  return [...(node?.steps ?? []), ...(instanceOf(view, node)?.steps ?? [])];
}

function judgeStated(view: View, { t, i, expectation: { instances: most } }: Stated, bound: Bound): Part {
  const dueMs = t + bound.value;
  // The number has to hold until the need changes: at the next expectation of this kind, or at the removal.
  const next = view.stated.find((one) => one.expectation.kind === 'consolidated' && one.i > i);
  const untilMs = Math.min(next?.t ?? Infinity, view.phases.get('remove')?.t ?? view.endMs);
  const entries = targetsInstances(view);
  const liveAt = (ms: number): typeof entries => entries.filter(({ launchedMs, endedMs = Infinity }) => launchedMs <= ms && endedMs > ms);
  const changes = entries.flatMap(({ launchedMs, endedMs }) => [launchedMs, ...(endedMs === undefined ? [] : [endedMs])]);
  const moments = [t, ...changes.filter((ms) => ms > t && ms < untilMs).sort((a, b) => a - b)];
  const lastExcess = moments.findLastIndex((ms) => liveAt(ms).length > most);
  const sinceMs = lastExcess === -1 ? t : (moments[lastExcess + 1] ?? untilMs);
  const measurements = [measure(bound, [{ value: sinceMs - t, object: 'world' }])];
  const left = liveAt(Math.max(t, untilMs - 1));
  const summary = `${count(left.length, 'instance')} left of ${most} needed after ${duration(sinceMs - t)} (${nameBound(bound)})`;
  if (sinceMs <= dueMs && left.length <= most) return { verdict: 'pass', summary, findings: [], measurements };
  if (untilMs < dueMs) return unknownPart(`${summary}, but the trial changed before the bound had passed`, measurements);
  const tookMs = sinceMs - t;
  const outcome =
    left.length > most
      ? `after ${duration(tookMs)} there were still ${left.length}`
      : `only after ${duration(tookMs)} did the number stay within the need`;
  const finding = {
    code: 'not-consolidated',
    object: 'world',
    events: indexes(entries.filter(({ endedMs = Infinity }) => endedMs > dueMs).map(({ instance }) => instance.launched)),
    message: `The pods need ${count(most, 'instance')}. After ${duration(bound.value)} there were ${liveAt(dueMs).length}; ${outcome} (${nameBound(bound)}).`,
  };
  return { verdict: 'fail', summary, findings: [finding], measurements };
}

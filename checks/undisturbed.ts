import type { Bound, EventOf } from '../history/events.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { departuresOf } from './departures.ts';
import { describePod, podEvidence } from './evidence.ts';
import { count, duration, indexes, mergeParts, nameBound, safetyPart, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** Where nodes could be taken by will, those stay that have to, and pods that move have a node to go to. */
export const undisturbed: Check = {
  name: 'undisturbed',
  summary: 'no node is taken that has to stay, and no pod has to wait because one is taken',
  codes: {
    'node-taken': 'a node that had to stay was taken',
    'pod-without-node': 'a pod that had to move had no node to go to',
  },
  judge: (view) =>
    mergeParts(
      view.stated.flatMap((stated) => {
        const { expectation } = stated;
        if (expectation.kind === 'kept') return [withBound(view, expectation.bound, (bound) => judgeKept(view, stated, bound))];
        return expectation.kind === 'never-without-node' ? [judgePods(view, stated, expectation.workload)] : [];
      }),
    ),
};

function judgeKept(view: View, stated: EventOf<'expectation'>, bound: Bound): Part {
  const untilMs = stated.t + bound.value;
  const taken = departuresOf(view).filter(
    ({ isVoluntary, entry, at }) => isVoluntary && entry.instance.launched.i < stated.i && at.i > stated.i && at.t <= untilMs,
  );
  const summary = `${count(taken.length, 'node')} taken of those that have to stay (${nameBound(bound)})`;
  if (taken.length > 0) {
    const findings = taken.map(({ node, at }) => ({
      code: 'node-taken',
      object: node.object,
      events: indexes([stated, ...node.steps, at]),
      message: `Node ${node.name} had to stay and was taken at ${duration(at.t)}, ${duration(at.t - stated.t)} after that was said (${nameBound(bound)}).`,
    }));
    return { verdict: 'fail', summary, findings, measurements: [] };
  }
  if ((view.phases.get('remove')?.t ?? view.endMs) < untilMs) return unknownPart(`${summary}, and the trial ended before the time was up`);
  return { verdict: 'pass', summary, findings: [], measurements: [] };
}

function judgePods(view: View, stated: EventOf<'expectation'>, name: string): Part {
  const removal = view.phases.get('remove')?.i ?? Infinity;
  const moved = (view.workloads.get(name)?.pods ?? []).filter(
    ({ created }) => created !== undefined && created.i > stated.i && created.i < removal,
  );
  const stranded = moved.filter(({ unschedulable }) => unschedulable !== undefined && unschedulable.i < removal);
  const findings = stranded.map((pod) => ({
    code: 'pod-without-node',
    object: pod.object,
    events: podEvidence(view, pod),
    message: `Pod ${pod.name} came in the place of one that had to move, and no node had room for it: ${describePod(view, pod)}.`,
  }));
  return safetyPart(view, findings, `${name}: ${stranded.length} of ${count(moved.length, 'pod')} that moved had no node to go to`);
}

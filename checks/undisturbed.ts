import type { Bound, EventOf } from '../history/events.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { departuresOf } from './departures.ts';
import { describePod, podEvidence } from './evidence.ts';
import { count, duration, indexes, mergeParts, nameBound, safetyPart, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** Nodes that have to stay are not disrupted, and pods that have to move find a node with room. */
export const undisturbed: Check = {
  name: 'undisturbed',
  summary: 'no node that has to stay is disrupted, and no pod has to wait because its node was',
  codes: {
    'node-taken': 'a node that had to stay was disrupted',
    'pod-without-node': 'a pod that had to move found no node with room',
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
  const summary = `${count(taken.length, 'node')} disrupted that had to stay (${nameBound(bound)})`;
  if (taken.length > 0) {
    const findings = taken.map(({ node, at }) => ({
      code: 'node-taken',
      object: node.object,
      events: indexes([stated, ...node.steps, at]),
      message: `Node ${node.name} had to stay from ${duration(stated.t)} on but was disrupted at ${duration(at.t)}, ${duration(at.t - stated.t)} later (${nameBound(bound)}).`,
    }));
    return { verdict: 'fail', summary, findings, measurements: [] };
  }
  if ((view.phases.get('remove')?.t ?? view.endMs) < untilMs)
    return unknownPart(`${summary}, but the trial ended before the bound had passed`);
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
    message: `Pod ${pod.name} replaces a pod that had to move, but no node had room for it: ${describePod(view, pod)}.`,
  }));
  return safetyPart(view, findings, `${name}: ${stranded.length} of ${count(moved.length, 'pod')} that moved found no node with room`);
}

import { z } from 'zod';
import { gapDueMs, setbacksOf } from '../history/ledger.ts';
import type { Setback } from '../history/ledger.ts';
import type { Bound } from '../history/events.ts';
import type { InstanceLife, NodeLife } from '../history/lives.ts';
import { instanceOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From the termination of an instance to the removal of its Node. */
const GONE_BOUND = 'node-without-instance';

interface Orphan {
  readonly node: NodeLife;
  readonly instance: InstanceLife;
  readonly endedMs: number;
  /** Its removal, the time from which it is another instance's, or the end of the history. */
  readonly untilMs: number;
}

/**
 * No Node outlives its instance beyond the bound: pods bound to such a node don't run, and a target that counts it as capacity
 * launches nothing for them. The cloud controller removes most of them; a finalizer of the target has to be removed by the
 * target. A fault on either wire, or a provoked crash, extends the bound.
 */
export const noOrphanedNodes: Check = {
  name: 'no-orphaned-nodes',
  summary: 'no Node stays long after its instance has ended',
  codes: { 'orphaned-node': 'a Node still existed after the bound although its instance had ended' },
  judge: (view) => (view.nodes.length === 0 ? undefined : mergeParts([withBound(view, GONE_BOUND, (bound) => judgeNodes(view, bound))])),
};

function judgeNodes(view: View, bound: Bound): Part {
  const orphans = view.nodes.flatMap((node) => orphanOf(view, node));
  const setbacks = [...setbacksOf(view, 'any-request'), ...cloudControllerFaults(view)].sort((a, b) => a.fromMs - b.fromMs);
  const overdue = orphans.filter(({ endedMs, untilMs }) => {
    const dueMs = gapDueMs(setbacks, { fromMs: endedMs }, bound.value);
    return dueMs !== undefined && untilMs > dueMs;
  });
  const findings = overdue.map(({ node, instance, endedMs, untilMs }) => ({
    code: 'orphaned-node',
    object: node.object,
    events: indexes([...node.steps, instance.launched, instance.ending, instance.terminated]),
    message: `Node ${node.name} existed for ${duration(untilMs - endedMs)} after its instance ${instance.id} had ended at ${duration(endedMs)} (${nameBound(bound)}).`,
  }));
  const measured = orphans.map(({ node, endedMs, untilMs }) => ({ value: untilMs - endedMs, object: node.object }));
  return safetyPart(view, findings, `${overdue.length} of ${count(view.nodes.length, 'node')} outlived their instance`, [
    measure(bound, measured),
  ]);
}

/** The parameters of a fault that stops the controller which removes Nodes. */
const downSchema = z.object({
  what: z.literal('down'),
  controllers: z.array(z.string()).refine((names) => names.includes('cloud-node-lifecycle-controller')),
});

/** While the cloud controller is down nobody removes Nodes, unless the target does. */
function cloudControllerFaults({ begin, faults }: View): Setback[] {
  if (begin?.target.features.includes('node-removal') === true) return [];
  const own = faults.filter(({ armed: { fault } }) => fault.fault === 'cloud-controller' && downSchema.safeParse(fault.params).success);
  return own.map(({ armed, healed }) => ({ fromMs: armed.t, toMs: healed?.t }));
}

function orphanOf(view: View, node: NodeLife): Orphan[] {
  const instance = instanceOf(view, node);
  const endedMs = instance?.terminated?.t;
  if (instance === undefined || endedMs === undefined) return [];
  // Ready again, it is the Node of another instance, which got the same address: pods run there.
  const takenOver = node.steps.find(({ to, t }) => to === 'ready' && t > endedMs);
  const untilMs = Math.min(node.gone?.t ?? view.endMs, takenOver?.t ?? Infinity);
  return untilMs <= endedMs ? [] : [{ node, instance, endedMs, untilMs }];
}

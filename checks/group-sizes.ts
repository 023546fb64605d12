import type { Bound, EventOf } from '../history/events.ts';
import { gapDueMs, setbacksOf } from '../history/ledger.ts';
import type { GroupLife, InstanceLife, RequestLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** How long a group that could not launch must be avoided. */
const MASK_BOUND = 'masked-offering';
/** An instance that never comes is given up like one that never becomes a node. */
const UNMET_BOUND = 'instance-without-node';
const RESIZE = 'autoscaling:SetDesiredCapacity';

type Step = EventOf<'group'>;

/**
 * What an autoscaler owes Auto Scaling groups, which launch for it: a group that has reported that it can't launch is not asked again
 * for a while, a size that a group can't reach is taken back, and a group is made smaller by naming the instance that goes, since
 * otherwise the group chooses one, with its pods.
 */
export const groupSizes: Check = {
  name: 'group-sizes',
  summary: 'Auto Scaling groups are asked for sizes that they can have, and lose only instances that were chosen',
  codes: {
    'failing-group-asked-again': 'a group that could not launch was made larger again sooner than the target declares',
    'unmet-size-kept': 'a group was left with a desired capacity that it did not reach',
    'member-taken': 'a lower desired capacity ended an instance that nobody had chosen',
  },
  judge: (view) => {
    if (view.groups.length === 0) return undefined;
    return mergeParts([
      withBound(view, MASK_BOUND, (bound) => judgeRaises(view, bound)),
      withBound(view, UNMET_BOUND, (bound) => judgeUnmet(view, bound)),
      judgeMembers(view),
    ]);
  },
};

/** A group was made larger although the target had taken back what it could not launch. */
interface Raise {
  readonly step: Step;
  readonly request: RequestLife;
  /** The request that took it back: by then the target knew. */
  readonly takenBack: Step;
  readonly failure: EventOf<'group-activity'>;
}

function judgeRaises(view: View, bound: Bound): Part {
  const raises = view.groups.flatMap((group) => raisesOf(view, group));
  const ages = raises.map((raise) => ({
    ...raise,
    value: raise.step.t - raise.takenBack.t,
    object: `autoscalinggroup/${raise.step.group}`,
  }));
  const early = ages.filter(({ value }) => value < bound.value);
  const findings = early.map(({ step, request, takenBack, failure, value, object }) => ({
    code: 'failing-group-asked-again',
    object,
    events: indexes([failure, takenBack, ...eventsOf(request), step]),
    message: `Group ${step.group} could not launch at ${duration(failure.t)} (${failure.message ?? 'no reason given'}), its size was taken back at ${duration(takenBack.t)}, and raised to ${step.desired} again after ${duration(value)} (${nameBound(bound)}).`,
  }));
  const summary = `${early.length} of ${count(raises.length, 'raise')} of a group that had failed came too soon`;
  return safetyPart(view, findings, summary, [measure(bound, ages)]);
}

/** Within one incarnation: what was known may be lost with the process. Launches since then show that the group works again. */
function raisesOf(view: View, group: GroupLife): Raise[] {
  return group.steps.flatMap((step, index) => {
    const takenBack = group.steps[index - 1];
    const request = requestOf(view, step);
    if (takenBack === undefined || request === undefined || step.desired <= takenBack.desired) return [];
    const lowered = requestOf(view, takenBack);
    const before = group.steps[index - 2];
    if (lowered === undefined || before === undefined || takenBack.desired >= before.desired) return [];
    if (lowered.start.incarnation !== request.start.incarnation) return [];
    const failure = group.activities.findLast(({ to, what, i }) => what === 'launch' && to === 'failed' && i > before.i && i < takenBack.i);
    const works = group.activities.some(({ to, what, i }) => what === 'launch' && to !== 'failed' && i > (failure?.i ?? 0) && i < step.i);
    return failure === undefined || works ? [] : [{ step, request, takenBack, failure }];
  });
}

/** A time in which a group had fewer instances than desired, and the target did not change that. */
interface Unmet {
  readonly group: GroupLife;
  readonly step: Step;
  readonly fromMs: number;
  readonly toMs: number;
}

function judgeUnmet(view: View, bound: Bound): Part {
  const setbacks = setbacksOf(view);
  const unmet = view.groups.flatMap((group) => unmetOf(view, group));
  const kept = unmet.filter(({ fromMs, toMs }) => {
    const dueMs = gapDueMs(setbacks, { fromMs }, bound.value);
    return dueMs !== undefined && toMs > dueMs;
  });
  const findings = kept.map(({ group, step, fromMs, toMs }) => ({
    code: 'unmet-size-kept',
    object: group.object,
    events: indexes([step, ...group.activities.filter(({ t, to }) => to === 'failed' && t >= step.t && t <= toMs)]),
    message: `Group ${group.name} had fewer instances than its desired capacity of ${step.desired} for ${duration(toMs - fromMs)}, from ${duration(fromMs)} on, and the target did not take that back (${nameBound(bound)}).`,
  }));
  const summary = `${count(kept.length, 'size')} that a group did not reach ${kept.length === 1 ? 'was' : 'were'} kept`;
  return safetyPart(view, findings, summary, [
    measure(
      bound,
      unmet.map(({ group, fromMs, toMs }) => ({ value: toMs - fromMs, object: group.object })),
    ),
  ]);
}

function unmetOf(view: View, group: GroupLife): Unmet[] {
  const members = view.instances.filter((instance) => instance.group === group.name);
  const live = (index: number): number =>
    members.filter(({ launched, ending }) => launched.i <= index && (ending?.i ?? Infinity) > index).length;
  const changes = [
    ...group.steps,
    ...members.flatMap(({ launched, ending }) => [launched, ...(ending === undefined ? [] : [ending])]),
  ].sort((a, b) => a.i - b.i);
  const unmet: Unmet[] = [];
  let step: Step | undefined;
  let fromMs: number | undefined;
  for (const change of changes) {
    const isStep = change.type === 'group';
    const isShort = step !== undefined && step.to !== 'deleted' && live(change.i) < (isStep ? change.desired : step.desired);
    if (step !== undefined && fromMs !== undefined && (isStep || !isShort)) {
      unmet.push({ group, step, fromMs, toMs: change.t });
      fromMs = undefined;
    }
    if (isStep) step = change;
    const isShortNow = step !== undefined && step.to !== 'deleted' && live(change.i) < step.desired;
    fromMs = isShortNow ? (fromMs ?? change.t) : undefined;
  }
  return step === undefined || fromMs === undefined ? unmet : [...unmet, { group, step, fromMs, toMs: view.endMs }];
}

function judgeMembers(view: View): Part {
  const members = view.instances.filter(({ group }) => group !== undefined);
  const findings = members.flatMap((instance) => takenFinding(view, instance) ?? []);
  return safetyPart(view, findings, `${findings.length} of ${count(members.length, 'instance')} of groups ended without being chosen`);
}

function takenFinding(view: View, { id, object, launched, ending, group, steps }: InstanceLife): Finding | undefined {
  const request = ending?.span === undefined ? undefined : view.requests.get(ending.span);
  // One that was launched later is what the group made of an earlier size, in passing.
  if (ending === undefined || request?.start.operation !== RESIZE || launched.i > request.start.i) return undefined;
  const nodes = view.nodesByInstance.get(id) ?? [];
  const name = nodes[0] === undefined ? 'not a node yet' : `node ${nodes[0].name}`;
  return {
    code: 'member-taken',
    object,
    events: indexes([...eventsOf(request), ...steps, ...nodes.flatMap((node) => node.steps)]),
    message: `Group ${group ?? ''} ended instance ${id} (${name}) at ${duration(ending.t)}, because the target had lowered the group's desired capacity at ${duration(request.start.t)} instead of naming the instance that should go.`,
  };
}

/** The target's request that changed a group's size. */
function requestOf(view: View, { span }: Step): RequestLife | undefined {
  return span === undefined ? undefined : view.requests.get(span);
}

import type { Bound, EventOf } from '../history/events.ts';
import { gapDueMs, standstillsOf } from '../history/ledger.ts';
import type { Setback } from '../history/ledger.ts';
import { RESIZE } from '../history/launch-requests.ts';
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
  readonly takenBack: TakenBack;
}

/** The target has lowered a size that a group had not reached: by then it knew of the failure. */
interface TakenBack {
  readonly step: Step;
  readonly failure: EventOf<'group-activity'>;
  readonly incarnation: number;
}

/** Measured from the failure, since the target may count from any moment between this and the request that took the size back. */
function judgeRaises(view: View, bound: Bound): Part {
  const raises = view.groups.flatMap((group) => raisesOf(view, group));
  const ages = raises.map((raise) => ({ ...raise, value: raise.step.t - raise.takenBack.failure.t, object: objectOf(raise.step) }));
  const early = ages.filter(({ value }) => value < bound.value);
  const findings = early.map(({ step, request, takenBack: { step: lowered, failure }, value, object }) => ({
    code: 'failing-group-asked-again',
    object,
    events: indexes([failure, lowered, ...eventsOf(request), step]),
    message: `Group ${step.group} could not launch at ${duration(failure.t)} (${failure.message ?? 'no reason given'}), its size was taken back at ${duration(lowered.t)}, and raised to ${step.desired} ${duration(value)} after the failure (${nameBound(bound)}).`,
  }));
  const summary = `${early.length} of ${count(raises.length, 'raise')} of a group that had failed came too soon`;
  return safetyPart(view, findings, summary, [measure(bound, ages)]);
}

/** Within one incarnation: what was known may be lost with the process. A launch since the failure shows that the group works again. */
function raisesOf(view: View, group: GroupLife): Raise[] {
  const raises: Raise[] = [];
  const launches = group.activities.filter(({ what }) => what === 'launch');
  let known: TakenBack | undefined;
  let raisedAt = 0;
  for (const [index, step] of group.steps.entries()) {
    const before = group.steps[index - 1]?.desired ?? 0;
    const request = resizeOf(view, step);
    if (step.desired > before) {
      const { failure, incarnation } = known ?? {};
      const works = launches.some(({ to, i }) => to === 'started' && i > (failure?.i ?? 0) && i < step.i);
      if (known !== undefined && request !== undefined && request.start.incarnation === incarnation && !works)
        raises.push({ step, request, takenBack: known });
      known = undefined;
      raisedAt = step.i;
    } else if (step.desired < before && request !== undefined) {
      const failure = launches.findLast(({ to, i }) => to === 'failed' && i > raisedAt && i < step.i);
      if (failure !== undefined) known = { step, failure, incarnation: request.start.incarnation };
    }
  }
  return raises;
}

/** A time in which a group had fewer instances than the target had asked for, and it did not change that. */
interface Unmet {
  readonly step: Step;
  readonly fromMs: number;
  readonly toMs: number;
}

/** In instances: groups whose instances have weights are not judged rightly. */
function judgeUnmet(view: View, bound: Bound): Part {
  const setbacks = hindrancesOf(view);
  const unmet = view.groups.flatMap((group) => unmetOf(view, group));
  const kept = unmet.filter(({ fromMs, toMs }) => {
    const dueMs = gapDueMs(setbacks, { fromMs }, bound.value);
    return dueMs !== undefined && toMs > dueMs;
  });
  const failures = view.groups.flatMap(({ activities }) => activities.filter(({ to }) => to === 'failed'));
  const findings = kept.map(({ step, fromMs, toMs }) => ({
    code: 'unmet-size-kept',
    object: objectOf(step),
    events: indexes([step, ...failures.filter(({ group, t }) => group === step.group && t >= fromMs && t <= toMs)]),
    message: `Group ${step.group} had fewer instances than its desired capacity of ${step.desired} for ${duration(toMs - fromMs)}, from ${duration(fromMs)} on, and the target did not take that back (${nameBound(bound)}).`,
  }));
  const summary = `${count(kept.length, 'size')} that a group did not reach ${kept.length === 1 ? 'was' : 'were'} kept`;
  const values = unmet.map(({ step, fromMs, toMs }) => ({ value: toMs - fromMs, object: objectOf(step) }));
  return safetyPart(view, findings, summary, [measure(bound, values)]);
}

/** What kept the target from taking a size back: not that the group fails again and again. */
function hindrancesOf(view: View): Setback[] {
  const struck = new Set(view.faults.flatMap(({ fired }) => fired.flatMap(({ span }) => span ?? [])));
  const requests = [...view.requests.values()].filter(({ span, end }) => struck.has(span) && end?.outcome !== 'ok');
  const ofRequests = requests.map(({ start, end }) => ({ fromMs: start.t, toMs: end?.t ?? start.t }));
  return [...ofRequests, ...standstillsOf(view)].sort((a, b) => a.fromMs - b.fromMs);
}

/** A size that the operator set, or the least that a group may have, is not the target's to change. */
function unmetOf(view: View, group: GroupLife): Unmet[] {
  const members = view.instances.filter((instance) => instance.group === group.name);
  const changes = [
    ...group.steps.map((step) => ({ step, event: step, by: 0 })),
    ...members.flatMap(({ launched, ending }) => [
      { event: launched, by: 1 },
      ...(ending === undefined ? [] : [{ event: ending, by: -1 }]),
    ]),
  ];
  const unmet: Unmet[] = [];
  let step: Step | undefined;
  let fromMs: number | undefined;
  let live = 0;
  const close = (toMs: number): void => {
    if (step !== undefined && fromMs !== undefined) unmet.push({ step, fromMs, toMs });
    fromMs = undefined;
  };
  for (const { event, by, ...change } of changes.sort((a, b) => a.event.i - b.event.i)) {
    live += by;
    if ('step' in change) {
      close(event.t);
      step = change.step;
    }
    const isOwed = step !== undefined && step.to !== 'deleted' && resizeOf(view, step) !== undefined && step.desired > step.min;
    if (!isOwed || live >= (step?.desired ?? 0)) close(event.t);
    else fromMs ??= event.t;
  }
  close(view.endMs);
  return unmet;
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

/** The target's request that set a group's size. */
function resizeOf(view: View, { span }: Step): RequestLife | undefined {
  const request = span === undefined ? undefined : view.requests.get(span);
  return request?.start.operation === RESIZE ? request : undefined;
}

function objectOf({ group }: Step): string {
  return `autoscalinggroup/${group}`;
}

import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { Bound, EventOf } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import { expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, measure, mergeParts, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** Most live instances per pod or static node, at the peak number of both. */
const RUNAWAY_BOUND = 'runaway';
/** How long a node may be dead before it counts again: the AWS provider's `RepairPolicies` of Karpenter wait that long. */
const REPAIRED_AFTER_MS = 1_800_000;
/** Longest time from the decision to launch to the request. */
const LAG_BOUND = 'launch-lag';

/**
 * Launches must stop at some point. At every launch, the number of live instances is at most a multiple of the highest number
 * of pods that existed at once until then, together with the nodes that static pools asked for. Replacements that are launched first, fleets that return more than requested and
 * launches whose response was lost are legal, so the multiple is generous; an endless loop exceeds any number. Instances whose node was Ready
 * and has not been for less than the patience of node repair don't count: no pod can use them, and they have to be replaced.
 */
export const runawayCapacity: Check = {
  name: 'runaway-capacity',
  summary: 'no more instances are launched than the pods could need',
  codes: {
    'runaway-launches': 'more instances were live at once than the pods could need',
    'launched-twice': 'more instances were launched than the scenario needs',
  },
  judge: (view) => {
    const entries = targetsInstances(view);
    if (entries.length === 0) return undefined;
    return mergeParts([
      withBound(view, RUNAWAY_BOUND, (bound) => judgeLaunches(view, entries, bound)),
      ...expectationsOf(view, 'launched-at-most').map(({ instances }) => judgeNumber(view, entries, instances)),
    ]);
  },
};

function judgeLaunches(view: View, entries: readonly LedgerEntry[], bound: Bound): Part {
  const needsBy = mostNeeds(view);
  const dead = entries.map(deadTimes);
  const launches = entries.map(({ instance, request }) => {
    const { i } = instance.launched;
    const isLive = ({ instance: { launched, ending } }: LedgerEntry): boolean => launched.i <= i && (ending?.i ?? Infinity) > i;
    const live = entries.filter(
      (one, index) => isLive(one) && !(dead[index] ?? []).some((time) => isDuring(time, instance.launched)),
    ).length;
    return { instance, request, live, needs: needsBy(i) };
  });
  const isStatic = view.pools.some(({ pool }) => pool.replicas !== undefined);
  const [need, plural] = isStatic ? ['pod or static node', 'pods and static nodes'] : ['pod', 'pods'];
  const excessive = launches.filter(({ live, needs }) => live > bound.value * Math.max(1, needs));
  const findings = excessive.map(({ instance, request, live, needs }) => ({
    code: 'runaway-launches',
    object: instance.object,
    events: indexes([request?.start, instance.launched]),
    message: `With instance ${instance.id}, launched at ${duration(instance.launched.t)}, ${live} usable instances were live at once, but there were never more than ${count(needs, need, plural)} at once (bound ${bound.name}, ${bound.value} instances a ${need}).`,
  }));
  const measured = launches.map(({ instance, live, needs }) => ({ value: live / Math.max(1, needs), object: instance.object }));
  return safetyPart(view, findings, `${excessive.length} of ${count(launches.length, 'launch', 'launches')} beyond any need`, [
    measure(bound, measured),
  ]);
}

/** A time in which the node of an instance was dead. */
interface DeadTime {
  readonly from: EventOf<'node'>;
  /** Undefined if it never came back. */
  readonly to: EventOf<'node'> | undefined;
}

function deadTimes({ nodes }: LedgerEntry): DeadTime[] {
  return nodes.flatMap(({ steps }) => {
    const changes = steps.filter(({ to }) => to === 'ready' || to === 'not-ready');
    const first = changes.findIndex(({ to }) => to === 'ready');
    const wasReady = first === -1 ? [] : changes.slice(first);
    return wasReady.flatMap((from, index) => (from.to === 'not-ready' ? [{ from, to: wasReady[index + 1] }] : []));
  });
}

function isDuring({ from, to }: DeadTime, { i, t }: { readonly i: number; readonly t: number }): boolean {
  return from.i < i && i < (to?.i ?? Infinity) && t - from.t <= REPAIRED_AFTER_MS;
}

/** If every pod needs one node and nothing is lost, each further instance has no reason. */
function judgeNumber(view: View, entries: readonly LedgerEntry[], most: number): Part {
  const lagMs = view.bounds.get(LAG_BOUND)?.value ?? 0;
  const explaining = new Set(view.pods.filter(isRemovedAtOnce));
  const unexplained = entries.slice(most).filter(({ instance: { launched } }) => {
    const pod = [...explaining].find(
      ({ scheduled, gone }) => (scheduled?.i ?? Infinity) < launched.i && launched.t <= (gone?.t ?? Infinity) + lagMs,
    );
    // Each such pod explains one instance.
    if (pod !== undefined) explaining.delete(pod);
    return pod === undefined;
  });
  const findings = unexplained.map(({ instance, request }) => ({
    code: 'launched-twice',
    object: instance.object,
    events: indexes([request?.start, instance.launched]),
    message: `Instance ${instance.id}, launched at ${duration(instance.launched.t)}, is beyond the ${most} that the scenario needs.`,
  }));
  return safetyPart(view, findings, `${entries.length} launched of ${most} needed`);
}

/**
 * The scheduler placed a pod on a node whose taint the taint manager still saw, so it was deleted at once. It keeps its place until it is
 * gone, which may be later than the plan for the pod that replaces it.
 */
function isRemovedAtOnce({ steps, running }: PodLife): boolean {
  return running === undefined && steps.some(({ to, reason }) => to === 'terminating' && reason === 'DeletionByTaintManager');
}

/** @returns the highest number of workload pods and static nodes that were wanted at once, up to an event; to be asked in the order of events */
function mostNeeds(view: View): (index: number) => number {
  const changes = [...podChanges(view), ...staticChanges(view)].sort((a, b) => a.i - b.i);
  let next = 0;
  let now = 0;
  let most = 0;
  return (index) => {
    for (let change = changes[next]; change !== undefined && change.i <= index; change = changes[(next += 1)]) {
      now += change.by;
      most = Math.max(most, now);
    }
    return most;
  };
}

/** A change of the number of needs. */
interface Change {
  readonly i: number;
  readonly by: number;
}

function podChanges(view: View): Change[] {
  return view.pods.flatMap(({ workload, steps, gone }) => {
    if (workload === undefined || view.workloads.get(workload)?.truth.kind === 'daemon') return [];
    const born = steps.slice(0, 1).map(({ i }) => ({ i, by: 1 }));
    return gone === undefined ? born : [...born, { i: gone.i, by: -1 }];
  });
}

/** A pool that is applied again replaces what it asked for. */
function staticChanges({ pools, withdrawnPools }: View): Change[] {
  const replicas = new Map<string, number>();
  return [...pools, ...withdrawnPools]
    .sort((a, b) => a.i - b.i)
    .map(({ i, pool, withdrawn }) => {
      const before = replicas.get(pool.name) ?? 0;
      const now = withdrawn === true ? 0 : (pool.replicas ?? 0);
      replicas.set(pool.name, now);
      return { i, by: now - before };
    });
}

import type { Bound, EventOf, Expectation, HistoryEvent, PHASES, Profile, Truth } from './events.ts';
import {
  foldClaims,
  foldFaults,
  foldGroups,
  foldIncarnations,
  foldInstances,
  foldNodes,
  foldNotices,
  foldPods,
  foldRequests,
  foldTemplates,
  ofType,
} from './lives.ts';
import type {
  ClaimLife,
  FaultLife,
  GroupLife,
  Incarnation,
  InstanceLife,
  NodeLife,
  NoticeLife,
  PodLife,
  RequestLife,
  TemplateLife,
} from './lives.ts';
import type { Usage } from './usage.ts';
import { currentBoundName, currentScenarioId, currentTargetName } from '../model/former-names.ts';

export type Phase = (typeof PHASES)[number];

/** A workload as its scenario deployed it, with its pods. */
interface WorkloadLife {
  readonly name: string;
  readonly truth: Truth;
  readonly deployed: EventOf<'workload'>;
  readonly pods: readonly PodLife[];
}

/** One history, folded into what checks and reports need. Works for any prefix of a history. */
export interface View {
  readonly events: readonly HistoryEvent[];
  /** The history's last line was cut off. */
  readonly truncated: boolean;
  /** The last phase was reached: all that can be observed of this trial has been. */
  readonly complete: boolean;
  /** Time of the last event, milliseconds since the start of the trial. */
  readonly endMs: number;
  readonly begin: EventOf<'trial.begin'> | undefined;
  readonly end: EventOf<'trial.end'> | undefined;
  /** The scenario's; undefined if the history lacks its start, and in older histories. */
  readonly profile: Profile | undefined;
  readonly bounds: ReadonlyMap<string, Bound>;
  readonly expectations: readonly Expectation[];
  /** The same with the time at which each was stated. */
  readonly stated: readonly EventOf<'expectation'>[];
  /** The pools that were applied, in order. */
  readonly pools: readonly EventOf<'pool'>[];
  /** The pools that were withdrawn. */
  readonly withdrawnPools: readonly EventOf<'pool'>[];
  readonly budgets: readonly EventOf<'budget'>[];
  /** The beginnings of the phases. */
  readonly phases: ReadonlyMap<Phase, EventOf<'phase'>>;
  readonly workloads: ReadonlyMap<string, WorkloadLife>;
  readonly pods: readonly PodLife[];
  readonly nodes: readonly NodeLife[];
  readonly claims: readonly ClaimLife[];
  readonly instances: readonly InstanceLife[];
  /** The same by id. */
  readonly instanceById: ReadonlyMap<string, InstanceLife>;
  /** The nodes that each instance was, in order: usually one. */
  readonly nodesByInstance: ReadonlyMap<string | undefined, readonly NodeLife[]>;
  /** In order: usually one. */
  readonly claimsByInstance: ReadonlyMap<string | undefined, readonly ClaimLife[]>;
  readonly templates: readonly TemplateLife[];
  readonly groups: readonly GroupLife[];
  /** What was done to instances of others, in order. */
  readonly foreign: readonly EventOf<'foreign-instance'>[];
  readonly notices: readonly NoticeLife[];
  /** Requests of the target by span. */
  readonly requests: ReadonlyMap<number, RequestLife>;
  readonly faults: readonly FaultLife[];
  readonly incarnations: readonly Incarnation[];
  readonly panics: readonly EventOf<'target.panic'>[];
  readonly said: readonly EventOf<'said'>[];
  /** What became of stored objects; undefined without an upgrade. */
  readonly upgrade: EventOf<'upgrade'> | undefined;
  readonly convergence: readonly EventOf<'convergence'>[];
  readonly harnessErrors: readonly EventOf<'harness.error'>[];
  readonly supervisor: readonly EventOf<'supervisor'>[];
  /** What was measured beside the history; undefined if nothing was. */
  readonly usage: Usage | undefined;
}

function withCurrentNames(begin: View['begin']): View['begin'] {
  if (begin === undefined) return undefined;
  const { scenario, target } = begin;
  return {
    ...begin,
    scenario: { ...scenario, id: currentScenarioId(scenario.id) },
    target: { ...target, name: currentTargetName(target.name) },
  };
}

function withCurrentName(bound: Bound): Bound {
  return { ...bound, name: currentBoundName(bound.name) };
}

/** Folds a history. Pure, and total: any prefix of a history has a view. */
export function createView(
  events: readonly HistoryEvent[],
  { truncated = false, usage }: { readonly truncated?: boolean; readonly usage?: Usage | undefined } = {},
): View {
  const nodes = foldNodes(events);
  const pods = foldPods(events, nodes);
  const requests = foldRequests(events);
  const claims = foldClaims(events);
  const instances = foldInstances(events);
  const begin = withCurrentNames(ofType(events, 'trial.begin')[0]);
  const phases = firstBy(ofType(events, 'phase'), ({ phase }) => phase);
  return {
    events,
    truncated,
    complete: phases.has('over'),
    endMs: events.at(-1)?.t ?? 0,
    begin,
    end: ofType(events, 'trial.end')[0],
    profile: begin?.scenario.profile,
    bounds: new Map(
      ofType(events, 'bound')
        .map(({ bound }) => withCurrentName(bound))
        .map((bound) => [bound.name, bound]),
    ),
    expectations: ofType(events, 'expectation').map(({ expectation }) => expectation),
    stated: ofType(events, 'expectation'),
    pools: ofType(events, 'pool').filter(({ withdrawn }) => withdrawn !== true),
    withdrawnPools: ofType(events, 'pool').filter(({ withdrawn }) => withdrawn === true),
    budgets: ofType(events, 'budget'),
    phases,
    workloads: foldWorkloads(events, pods),
    pods,
    nodes,
    claims,
    instances,
    instanceById: new Map(instances.map((instance) => [instance.id, instance])),
    nodesByInstance: Map.groupBy(nodes, ({ instance }) => instance),
    claimsByInstance: Map.groupBy(claims, ({ instance }) => instance),
    templates: foldTemplates(events),
    groups: foldGroups(events),
    foreign: ofType(events, 'foreign-instance'),
    notices: foldNotices(events, requests),
    requests,
    faults: foldFaults(events),
    incarnations: foldIncarnations(events),
    panics: ofType(events, 'target.panic'),
    said: ofType(events, 'said'),
    upgrade: ofType(events, 'upgrade')[0],
    convergence: ofType(events, 'convergence'),
    harnessErrors: ofType(events, 'harness.error'),
    supervisor: ofType(events, 'supervisor'),
    usage,
  };
}

/** Expectations of one kind, in the order in which they were stated. */
export function expectationsOf<K extends Expectation['kind']>(view: View, kind: K): Extract<Expectation, { kind: K }>[] {
  return view.expectations.filter((expectation): expectation is Extract<Expectation, { kind: K }> => expectation.kind === kind);
}

/**
 * When a pod starts to count as waiting: at its creation; for pods that can be served only after the heal, at the last heal of
 * a fault that was injected before they ran, if that is later. Undefined until then, and for pods that existed before the
 * history began.
 */
export function dueFromMs(view: View, pod: PodLife): number | undefined {
  if (pod.created === undefined) return undefined;
  const truth = pod.workload === undefined ? undefined : view.workloads.get(pod.workload)?.truth;
  if (truth?.kind !== 'schedulable-after-heal') return pod.created.t;
  const heals = view.faults.filter(({ armed }) => armed.i < (pod.running?.i ?? Infinity)).map(({ healed }) => healed?.t);
  // Without a fault, the start of the phase counts.
  if (heals.length === 0) heals.push(view.phases.get('heal')?.t);
  const known = heals.filter((ms) => ms !== undefined);
  return known.length < heals.length ? undefined : Math.max(pod.created.t, ...known);
}

/** The nodes that an instance was, in order: usually one. */
export function nodesOf(view: View, { id }: InstanceLife): readonly NodeLife[] {
  return view.nodesByInstance.get(id) ?? [];
}

/** The first claim of an instance. */
export function claimOf(view: View, instance: string | undefined): ClaimLife | undefined {
  return instance === undefined ? undefined : view.claimsByInstance.get(instance)?.[0];
}

/** The instance of a node. */
export function instanceOf(view: View, node: NodeLife | undefined): InstanceLife | undefined {
  return node?.instance === undefined ? undefined : view.instanceById.get(node.instance);
}

function foldWorkloads(events: readonly HistoryEvent[], pods: readonly PodLife[]): Map<string, WorkloadLife> {
  const deployed = firstBy(ofType(events, 'workload'), ({ workload }) => workload);
  const podsOf = Map.groupBy(pods, ({ workload }) => workload);
  return new Map([...deployed].map(([name, event]) => [name, { name, truth: event.truth, deployed: event, pods: podsOf.get(name) ?? [] }]));
}

function firstBy<K, E>(events: readonly E[], keyOf: (event: E) => K): Map<K, E> {
  const first = new Map<K, E>();
  for (const event of events) {
    if (!first.has(keyOf(event))) first.set(keyOf(event), event);
  }
  return first;
}

/**
 * How many expectations about a workload's pods had ended before an event: expectations for pods of one era say nothing about
 * those of another.
 */
export function eraAt(view: View, workload: string, index: number): number {
  const ends = view.stated.filter(({ expectation: one }) => one.kind === 'served-until-now' && one.workload === workload);
  return ends.filter(({ i }) => i < index).length;
}

/** The era to which an expectation applies. */
export function eraOf(view: View, expectation: Extract<Expectation, { workload: string }>): number {
  return eraAt(view, expectation.workload, view.stated.find((one) => one.expectation === expectation)?.i ?? 0);
}

import type { EventOf, HistoryEvent } from './events.ts';

/**
 * Objects' lives, folded from their transitions. Each step is the first event of its kind, so its index in the history and
 * its time are available. Any step may be missing: histories begin late and end early.
 */

export interface PodLife {
  readonly uid: string;
  /** `namespace/name` */
  readonly name: string;
  /** `pods/namespace/name` */
  readonly object: string;
  readonly workload: string | undefined;
  readonly steps: readonly EventOf<'pod'>[];
  readonly created: EventOf<'pod'> | undefined;
  readonly unschedulable: EventOf<'pod'> | undefined;
  readonly scheduled: EventOf<'pod'> | undefined;
  readonly running: EventOf<'pod'> | undefined;
  /** Its containers exited before it was deleted. */
  readonly ended: EventOf<'pod'> | undefined;
  /** The same, if all containers succeeded: nothing is left to protect. */
  readonly finished: EventOf<'pod'> | undefined;
  readonly terminating: EventOf<'pod'> | undefined;
  readonly gone: EventOf<'pod'> | undefined;
  /** The node to which it was scheduled. */
  readonly node: NodeLife | undefined;
}

export interface NodeLife {
  readonly uid: string;
  readonly name: string;
  /** `nodes/name` */
  readonly object: string;
  readonly instance: string | undefined;
  readonly steps: readonly EventOf<'node'>[];
  readonly created: EventOf<'node'> | undefined;
  /** The first event with its instance: from then on the instance has a registered node. */
  readonly linked: EventOf<'node'> | undefined;
  readonly ready: EventOf<'node'> | undefined;
  readonly gone: EventOf<'node'> | undefined;
}

export interface ClaimLife {
  readonly uid: string;
  readonly name: string;
  /** `nodeclaims/name` */
  readonly object: string;
  readonly instance: string | undefined;
  readonly steps: readonly EventOf<'claim'>[];
  readonly created: EventOf<'claim'> | undefined;
  /** The first event with its instance. */
  readonly linked: EventOf<'claim'> | undefined;
  readonly terminating: EventOf<'claim'> | undefined;
  readonly gone: EventOf<'claim'> | undefined;
}

export interface InstanceLife {
  readonly id: string;
  /** `instance/id` */
  readonly object: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: 'spot' | 'on-demand';
  readonly usdPerHour: number;
  readonly token: string | undefined;
  /** The Auto Scaling group that launched it. */
  readonly group: string | undefined;
  readonly steps: readonly EventOf<'instance'>[];
  readonly launched: EventOf<'instance'>;
  readonly running: EventOf<'instance'> | undefined;
  /** It started to shut down, or was terminated directly: from then on it costs nothing. */
  readonly ending: EventOf<'instance'> | undefined;
  readonly terminated: EventOf<'instance'> | undefined;
}

/** An Auto Scaling group. */
export interface GroupLife {
  readonly name: string;
  /** `autoscalinggroup/name` */
  readonly object: string;
  /** Its creation, and each change of its sizes. */
  readonly steps: readonly EventOf<'group'>[];
  readonly activities: readonly EventOf<'group-activity'>[];
}

/** A launch template that was created in the trial. */
export interface TemplateLife {
  readonly id: string;
  readonly name: string;
  /** `launchtemplate/id` */
  readonly object: string;
  readonly steps: readonly EventOf<'launch-template'>[];
  readonly created: EventOf<'launch-template'> | undefined;
  readonly deleted: EventOf<'launch-template'> | undefined;
}

/** A notice about an instance. */
export interface NoticeLife {
  readonly instance: string;
  readonly kind: EventOf<'notice'>['kind'];
  readonly sent: EventOf<'notice'>;
  /** The announced end of the instance, in milliseconds since the start of the trial; undefined if it does not end. */
  readonly endsAtMs: number | undefined;
  /** The first message about it reached the queue. */
  readonly queued: EventOf<'notice'> | undefined;
  readonly receptions: readonly EventOf<'notice'>[];
  /** The end of the first request whose response delivered it to the target. */
  readonly delivered: EventOf<'request.end'> | undefined;
}

/** A request of the target: as sent, its effect, and what the target learnt. */
export interface RequestLife {
  readonly span: number;
  readonly start: EventOf<'request.start'>;
  readonly effect: EventOf<'request.effect'> | undefined;
  readonly end: EventOf<'request.end'> | undefined;
}

/** An injected fault. */
export interface FaultLife {
  readonly armed: EventOf<'fault.armed'>;
  readonly fired: readonly EventOf<'fault.fired'>[];
  readonly healed: EventOf<'fault.healed'> | undefined;
}

/** One incarnation of the target. */
export interface Incarnation {
  readonly number: number;
  readonly start: EventOf<'target.start'>;
  readonly ready: EventOf<'target.ready'> | undefined;
  readonly stop: EventOf<'target.stop'> | undefined;
  readonly exit: EventOf<'target.exit'> | undefined;
}

/** Whether an incarnation was killed, and did not exit by itself. */
export function wasKilled({ provoked, overdue }: EventOf<'target.exit'>): boolean {
  return provoked || overdue === true;
}

/** The events of one type, in order. */
export function ofType<T extends HistoryEvent['type']>(events: readonly HistoryEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** Pods by uid, in order of appearance. */
export function foldPods(events: readonly HistoryEvent[], nodes: readonly NodeLife[]): PodLife[] {
  const named = new Map<string, readonly NodeLife[]>(groupBy(nodes, ({ name }) => name));
  return groupBy(ofType(events, 'pod'), ({ uid }) => uid).map(([uid, steps]) => {
    const first = steps[0];
    const step = stepIn(steps);
    const ended = step('ended');
    const placed = step('scheduled') ?? steps.find(({ node }) => node !== undefined);
    return {
      uid,
      name: first.pod,
      object: `pods/${first.pod}`,
      workload: steps.find(({ workload }) => workload !== undefined)?.workload,
      steps,
      created: step('created'),
      unschedulable: step('unschedulable'),
      scheduled: step('scheduled'),
      running: step('running'),
      ended,
      finished: ended?.reason === 'Succeeded' ? ended : undefined,
      terminating: step('terminating'),
      gone: step('gone'),
      node: placed?.node === undefined ? undefined : nodeAt(named.get(placed.node), placed.i),
    };
  });
}

/** Node names are reused: of the nodes of one name, the last that existed by then. */
function nodeAt(named: readonly NodeLife[] = [], byIndex: number): NodeLife | undefined {
  return named.findLast((node) => (node.steps[0]?.i ?? 0) <= byIndex) ?? named[0];
}

/** Nodes by uid, in order of appearance. */
export function foldNodes(events: readonly HistoryEvent[]): NodeLife[] {
  return groupBy(ofType(events, 'node'), ({ uid }) => uid).map(([uid, steps]) => {
    const step = stepIn(steps);
    const linked = steps.find((event) => instanceOf(event) !== undefined);
    return {
      uid,
      name: steps[0].node,
      object: `nodes/${steps[0].node}`,
      instance: linked === undefined ? undefined : instanceOf(linked),
      steps,
      created: step('created'),
      linked,
      ready: step('ready'),
      gone: step('gone'),
    };
  });
}

/** `aws:///us-east-1a/i-0abc` is instance `i-0abc`. */
function instanceOf({ instance, providerId }: EventOf<'node'>): string | undefined {
  return instance ?? providerId?.split('/').at(-1);
}

/** Claims by uid, in order of appearance. */
export function foldClaims(events: readonly HistoryEvent[]): ClaimLife[] {
  return groupBy(ofType(events, 'claim'), ({ uid }) => uid).map(([uid, steps]) => {
    const step = stepIn(steps);
    const linked = steps.find(({ instance }) => instance !== undefined);
    return {
      uid,
      name: steps[0].claim,
      object: `nodeclaims/${steps[0].claim}`,
      instance: linked?.instance,
      steps,
      created: step('created'),
      linked,
      terminating: step('terminating'),
      gone: step('gone'),
    };
  });
}

/** Instances by id, in order of appearance. */
export function foldInstances(events: readonly HistoryEvent[]): InstanceLife[] {
  return groupBy(ofType(events, 'instance'), ({ instance }) => instance).map(([id, steps]) => {
    const launched = steps[0];
    const step = stepIn(steps);
    return {
      id,
      object: `instance/${id}`,
      instanceType: launched.instanceType,
      zone: launched.zone,
      capacityType: launched.capacityType,
      usdPerHour: launched.usdPerHour,
      token: launched.token,
      group: launched.group,
      steps,
      launched,
      running: step('running'),
      ending: steps.find(({ to }) => to === 'shutting-down' || to === 'terminated'),
      terminated: step('terminated'),
    };
  });
}

/** Auto Scaling groups by name, in order of appearance. */
export function foldGroups(events: readonly HistoryEvent[]): GroupLife[] {
  const activities = Map.groupBy(ofType(events, 'group-activity'), ({ group }) => group);
  return groupBy(ofType(events, 'group'), ({ group }) => group).map(([name, steps]) => {
    return { name, object: `autoscalinggroup/${name}`, steps, activities: activities.get(name) ?? [] };
  });
}

/** Launch templates by id, in order of appearance. */
export function foldTemplates(events: readonly HistoryEvent[]): TemplateLife[] {
  return groupBy(ofType(events, 'launch-template'), ({ template }) => template).map(([id, steps]) => {
    const step = stepIn(steps);
    return { id, name: steps[0].name, object: `launchtemplate/${id}`, steps, created: step('created'), deleted: step('deleted') };
  });
}

/** Requests of the target by span, in the order in which they were sent. */
export function foldRequests(events: readonly HistoryEvent[]): Map<number, RequestLife> {
  const effects = new Map(ofType(events, 'request.effect').map((event) => [event.span, event]));
  const ends = new Map(ofType(events, 'request.end').map((event) => [event.span, event]));
  return new Map(
    ofType(events, 'request.start').map((start) => {
      const { span } = start;
      return [span, { span, start, effect: effects.get(span), end: ends.get(span) }];
    }),
  );
}

/** Notices in the order in which they were sent: the first of each kind about an instance. */
export function foldNotices(events: readonly HistoryEvent[], requests: ReadonlyMap<number, RequestLife>): NoticeLife[] {
  return groupBy(ofType(events, 'notice'), ({ kind, instance }) => `${kind} ${instance}`).flatMap(([, steps]) => {
    const sent = steps.find(({ to }) => to === 'sent');
    if (sent === undefined) return [];
    const receptions = steps.filter(({ to }) => to === 'received');
    const ends = receptions.flatMap(({ span }) => (span === undefined ? [] : (requests.get(span)?.end ?? [])));
    return {
      instance: sent.instance,
      kind: sent.kind,
      sent,
      endsAtMs: sent.endsInMs === undefined ? undefined : sent.t + sent.endsInMs,
      queued: steps.find(({ to }) => to === 'queued'),
      receptions,
      delivered: ends.find(({ outcome }) => outcome === 'ok'),
    };
  });
}

/** Faults in the order in which they were armed. */
export function foldFaults(events: readonly HistoryEvent[]): FaultLife[] {
  const fired = ofType(events, 'fault.fired');
  const healed = ofType(events, 'fault.healed');
  return ofType(events, 'fault.armed').map((armed) => ({
    armed,
    fired: fired.filter(({ fault }) => fault === armed.fault.id),
    healed: healed.find(({ fault }) => fault === armed.fault.id),
  }));
}

/** The target's incarnations, in order. */
export function foldIncarnations(events: readonly HistoryEvent[]): Incarnation[] {
  const ready = ofType(events, 'target.ready');
  const stops = ofType(events, 'target.stop');
  const exits = ofType(events, 'target.exit');
  return ofType(events, 'target.start').map((start) => {
    const isIts = ({ incarnation }: { readonly incarnation: number }): boolean => incarnation === start.incarnation;
    return { number: start.incarnation, start, ready: ready.find(isIts), stop: stops.find(isIts), exit: exits.find(isIts) };
  });
}

/** The first event of each kind of step. */
function stepIn<E extends { readonly to: string }>(steps: readonly E[]): (to: E['to']) => E | undefined {
  return (to) => steps.find((event) => event.to === to);
}

function groupBy<E>(events: readonly E[], keyOf: (event: E) => string): [string, [E, ...E[]]][] {
  const groups = new Map<string, [E, ...E[]]>();
  for (const event of events) {
    const group = groups.get(keyOf(event));
    if (group === undefined) groups.set(keyOf(event), [event]);
    else group.push(event);
  }
  return [...groups];
}

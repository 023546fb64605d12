import type { HistoryEvent } from '../../../history/events.ts';
import { wasKilled } from '../../../history/lives.ts';
import type { ClaimLife, InstanceLife, NodeLife, PodLife, RequestLife } from '../../../history/lives.ts';
import type { View } from '../../../history/view.ts';
import { defined } from '../../../model/defined.ts';
import type { Describe } from '../../describe-event.ts';
import { formatCount, formatDuration, formatMoment } from '../../format.ts';
import { outcomeOf } from '../../outcome.ts';
import type { Bar, BarStyle, Lane, LaneGroup, Step, Tick, TickStyle } from './model.ts';
import type { Scale } from './scale.ts';

/** Requests of one lane in the same part of the timeline share a tick; successful ones with coarser parts. */
const TICK_PARTS = 400;
const GOOD_TICK_PARTS = 50;

/** Most claims without an instance that are drawn. */
const MAX_STRAY_CLAIMS = 10;
/** Most events of one object that can be followed, in case it flaps for hours. */
const MAX_STEPS = 40;

type Flagged = ReadonlyMap<string, number>;

/** One lane for the target, with all incarnations. */
export function targetLane(view: View, endMs: number): LaneGroup {
  const bars = view.incarnations.flatMap(({ number, start, ready, stop, exit }, index): Bar[] => {
    const next = view.incarnations[index + 1]?.start.t ?? endMs;
    // In a handover the next one starts before this one is told to stop.
    const toMs = exit?.t ?? Math.max(stop?.t ?? 0, Math.min(next, endMs));
    const upMs = ready?.t ?? toMs;
    const name = `Incarnation ${number}`;
    return [
      { fromMs: start.t, toMs: upMs, style: 'target-starting', title: `${name} starts at ${formatMoment(start.t)}` },
      ...(ready === undefined
        ? []
        : [
            {
              fromMs: upMs,
              toMs,
              style: 'target-up',
              title: `${name} is up from ${formatMoment(upMs)} to ${formatMoment(toMs)}`,
              label: `#${number}`,
            } as const,
          ]),
    ];
  });
  const ticks: Tick[] = [
    ...view.incarnations.flatMap(({ exit }): Tick[] =>
      exit === undefined
        ? []
        : [
            {
              tMs: exit.t,
              style: wasKilled(exit) ? 'killed' : 'panic',
              title: `${formatMoment(exit.t)} ${wasKilled(exit) ? 'killed' : 'exited by itself'}: ${exit.reason}`,
            },
          ],
    ),
    ...view.panics.map(({ t, message }): Tick => ({ tMs: t, style: 'panic', title: `${formatMoment(t)} panic: ${message}` })),
  ];
  const name = view.begin?.target.name ?? 'target';
  return {
    title: 'Target',
    lanes:
      bars.length === 0 ? [] : [{ label: name, title: `${name}: ${formatCount(view.incarnations.length, 'incarnation')}`, bars, ticks }],
    hidden: '',
  };
}

interface RequestOptions {
  readonly scale: Scale;
  readonly describe: Describe;
  /** Whether ticks of successful requests have titles. */
  readonly describesSuccess: boolean;
}

/** A lane for each operation that changes AWS, one for reads of each service, two for Kubernetes. */
export function requestLanes(view: View, options: RequestOptions): LaneGroup {
  const lanes = new Map<string, RequestLife[]>();
  for (const request of view.requests.values()) {
    const lane = laneOf(request);
    const own = lanes.get(lane);
    if (own === undefined) lanes.set(lane, [request]);
    else own.push(request);
  }
  return {
    title: 'Requests of the target',
    lanes: [...lanes]
      .sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
      .map(([label, requests]) => ({
        label,
        title: `${label}: ${formatCount(requests.length, 'request')}`,
        bars: [],
        ticks: ticksOf(requests, view, options),
      })),
    hidden: '',
  };
}

const KUBERNETES = ['Kubernetes writes', 'Kubernetes reads'] as const;

function laneOf({ start: { wire, mutating, operation } }: RequestLife): string {
  if (wire === 'kube') return KUBERNETES[mutating ? 0 : 1];
  return mutating ? operation : `${operation.split(':')[0]?.toUpperCase()} reads`;
}

/** Operations first, then reads of AWS, then Kubernetes. */
function rankOf(lane: string): number {
  const place = KUBERNETES.findIndex((name) => name === lane);
  return place >= 0 ? 2 + place : Number(lane.endsWith(' reads'));
}

function ticksOf(requests: readonly RequestLife[], view: View, { scale, describe, describesSuccess }: RequestOptions): Tick[] {
  const parts = new Map<string, { style: TickStyle; requests: RequestLife[] }>();
  for (const request of requests) {
    const outcome = outcomeOf(request, view);
    const style = outcome === 'open' ? 'ok' : outcome;
    const key = `${Math.floor(scale.partOf(request.start.t) * (style === 'ok' ? GOOD_TICK_PARTS : TICK_PARTS))} ${style}`;
    const part = parts.get(key);
    if (part === undefined) parts.set(key, { style, requests: [request] });
    else part.requests.push(request);
  }
  return [...parts.values()].map(({ style, requests: own }) => {
    const first = own[0] as RequestLife;
    if (style === 'ok' && !describesSuccess) return { tMs: first.start.t, style, title: '' };
    const what = `${formatMoment(first.start.t)} ${describe(first.end ?? first.start).what}`;
    return {
      tMs: first.start.t,
      style,
      title:
        own.length === 1
          ? what
          : `${what} (and ${formatCount(own.length - 1, 'more request')} like it by ${formatMoment((own.at(-1) as RequestLife).start.t)})`,
    };
  });
}

/** The context for drawing lanes of objects. */
interface Drawing {
  readonly endMs: number;
  readonly flagged: Flagged;
  readonly describe: Describe;
}

/** Instances, each with its claims and nodes; then nodes and claims without a known instance. */
export function instanceLanes(
  view: View,
  pods: readonly PodLife[],
  { maxLanes, ...drawing }: Drawing & { readonly maxLanes: number },
): LaneGroup {
  const { flagged } = drawing;
  const nodesOf = groupBy(view.nodes, ({ instance }) => instance);
  const claimsOf = groupBy(view.claims, ({ instance }) => instance);
  const needed = new Set(pods.flatMap(({ node }) => node?.instance ?? []));
  const isFlagged = (instance: InstanceLife): boolean =>
    flagged.has(instance.object) ||
    [...(nodesOf.get(instance.id) ?? []), ...(claimsOf.get(instance.id) ?? [])].some(({ object }) => flagged.has(object));
  const shown = keepFirst(view.instances, maxLanes, isFlagged, ({ id }) => needed.has(id));
  const known = new Set(view.instances.map(({ id }) => id));
  const strays = view.nodes.filter(({ instance }) => instance === undefined || !known.has(instance)).slice(0, maxLanes);
  const hidden = view.instances.length - shown.length;
  return {
    title: `Instances, claims, nodes (${view.instances.length})`,
    lanes: [
      ...shown.flatMap((instance) => [
        instanceLane(view, instance, drawing),
        ...(claimsOf.get(instance.id) ?? []).map((claim) => ({ ...claimLane(claim, drawing), isNested: true })),
        ...(nodesOf.get(instance.id) ?? []).map((node) => ({ ...nodeLane(node, drawing), isNested: true })),
      ]),
      ...strays.map((node) => nodeLane(node, drawing)),
    ],
    hidden: hidden === 0 ? '' : `+${formatCount(hidden, 'more instance')}`,
  };
}

/** Claims without a known instance: their launches failed, or were never sent. */
export function strayClaimLanes(view: View, drawing: Drawing): LaneGroup {
  const known = new Set(view.instances.map(({ id }) => id));
  const strays = view.claims.filter(({ instance }) => instance === undefined || !known.has(instance));
  const shown = keepFirst(strays, MAX_STRAY_CLAIMS, ({ object }) => drawing.flagged.has(object));
  return {
    title: `Claims without an instance (${strays.length})`,
    lanes: shown.map((claim) => claimLane(claim, drawing)),
    hidden: strays.length === shown.length ? '' : `+${formatCount(strays.length - shown.length, 'more claim')}`,
  };
}

function instanceLane(view: View, instance: InstanceLife, { endMs, flagged, describe }: Drawing): Lane {
  const { id, instanceType, zone, capacityType, steps, object } = instance;
  const what = `${capacityType} ${instanceType} in ${zone}`;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) => (to === 'pending' ? 'instance-pending' : to === 'running' ? 'instance-running' : 'ending'),
    isOver: (to) => to === 'terminated',
    titleOf: ({ to }) => `${id} (${what}) ${to}`,
  });
  const last = bars.at(-1);
  // A leaked instance is recognised by its bar, which reaches the end.
  const isLeft = last !== undefined && flagged.has(object) && instance.ending === undefined;
  const shown = isLeft ? [...bars.slice(0, -1), { ...last, label: 'still live at the end' }] : bars;
  // The steps of an instance include the requests that launched and terminated it.
  const spans = new Set([instance.launched.span, instance.ending?.span].filter((span) => span !== undefined));
  const asked = [...spans].flatMap((span) => view.requests.get(span)?.start ?? []);
  const said = view.said.filter(({ about }) => about === object);
  return lane(
    {
      label: `${id}  ${instanceType}`,
      title: [`${id}: ${what}`, ...said.map((word) => describe(word).what)].join('\n'),
      object,
      instance: id,
      bars: shown,
      steps: stepsOf([...asked, ...steps, ...said], describe),
    },
    flagged,
  );
}

/** The lane of a claim, between its steps. */
function claimLane(claim: ClaimLife, { endMs, flagged, describe }: Drawing): Lane {
  const { name, steps, object, instance } = claim;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) => CLAIM_STYLES[to] ?? 'claim-live',
    isOver: (to) => to === 'gone',
    titleOf: ({ to }) => `claim ${name} ${to}`,
  });
  return lane({ label: name, title: `claim ${name}`, object, instance, bars, steps: stepsOf(steps, describe) }, flagged);
}

const CLAIM_STYLES: Readonly<Partial<Record<ClaimLife['steps'][number]['to'], BarStyle>>> = {
  created: 'claim-waiting',
  terminating: 'ending',
};

const NODE_STYLES: Readonly<Partial<Record<NodeLife['steps'][number]['to'], BarStyle>>> = {
  created: 'node-joining',
  ready: 'node-ready',
  uncordoned: 'node-ready',
  'not-ready': 'node-lost',
};

function nodeLane(node: NodeLife, { endMs, flagged, describe }: Drawing): Lane {
  const { name, steps, object, instance } = node;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) => NODE_STYLES[to] ?? 'ending',
    isOver: (to) => to === 'gone',
    titleOf: ({ to }) => `node ${name} ${to}`,
  });
  return lane({ label: name, title: `node ${name}`, object, instance, bars, steps: stepsOf(steps, describe) }, flagged);
}

/** The pods that are drawn: those with findings first. */
export function shownPods(view: View, flagged: Flagged, maxLanes: number): PodLife[] {
  return keepFirst(view.pods, maxLanes, ({ object }) => flagged.has(object));
}

/** Pods in the order of their creation. */
export function podLanes(view: View, shown: readonly PodLife[], drawing: Drawing): LaneGroup {
  const hidden = view.pods.length - shown.length;
  return {
    title: `Pods (${view.pods.length})`,
    lanes: shown.map((pod) => podLane(pod, drawing)),
    hidden: hidden === 0 ? '' : `+${formatCount(hidden, 'more pod')}`,
  };
}

function podLane(pod: PodLife, { endMs, flagged, describe }: Drawing): Lane {
  const { name, steps, object, workload, node } = pod;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) =>
      to === 'scheduled'
        ? 'pod-bound'
        : to === 'running'
          ? 'pod-running'
          : ['ended', 'terminating'].includes(to)
            ? 'ending'
            : 'pod-waiting',
    isOver: (to) => to === 'gone',
    titleOf: ({ to, node }) => `${name} ${to}${node === undefined ? '' : ` on ${node}`}`,
  });
  return lane(
    {
      label: name.replace(/^default\//, ''),
      title: `pod ${name}${workload === undefined ? '' : ` of ${workload}`}`,
      object,
      instance: node?.instance,
      bars,
      steps: stepsOf(steps, describe),
    },
    flagged,
  );
}

function lane(drawn: Omit<Lane, 'ticks' | 'object'> & { readonly object: string }, flagged: Flagged): Lane {
  const number = flagged.get(drawn.object);
  return { ...drawn, ticks: [], ...defined({ flagged: number }) };
}

function stepsOf(events: readonly HistoryEvent[], describe: Describe): Step[] {
  return events
    .slice(0, MAX_STEPS)
    .map((event) => ({ tMs: event.t, i: event.i, text: describe(event).what }))
    .sort((a, b) => a.i - b.i);
}

/** A bar from each step to the next; steps with the same look share a bar. */
function barsOf<E extends HistoryEvent & { readonly to: string }>(
  steps: readonly E[],
  endMs: number,
  looks: { readonly styleOf: (to: E['to']) => BarStyle; readonly isOver: (to: E['to']) => boolean; readonly titleOf: (step: E) => string },
): Bar[] {
  const bars: Bar[] = [];
  steps.forEach((step, index) => {
    if (looks.isOver(step.to)) return;
    const next = steps[index + 1];
    const toMs = next?.t ?? endMs;
    const style = looks.styleOf(step.to);
    const last = bars.at(-1);
    const fromMs = last?.style === style && last.toMs === step.t ? last.fromMs : step.t;
    if (fromMs !== step.t) bars.pop();
    const until = next === undefined ? 'to the end of the trial' : `to ${formatMoment(toMs)}`;
    bars.push({
      fromMs,
      toMs,
      style,
      title: `${looks.titleOf(step)} from ${formatMoment(fromMs)} ${until} (${formatDuration(toMs - fromMs)})`,
    });
  });
  return bars;
}

/** The first ones up to a limit, the important ones first, in their original order. */
function keepFirst<T>(all: readonly T[], limit: number, ...matters: readonly ((one: T) => boolean)[]): T[] {
  if (all.length <= limit) return [...all];
  const kept = new Set([...matters.flatMap((isMeant) => all.filter(isMeant)), ...all]);
  const first = new Set([...kept].slice(0, limit));
  return all.filter((one) => first.has(one));
}

function groupBy<K, T>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

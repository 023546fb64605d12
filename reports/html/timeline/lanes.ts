import type { HistoryEvent } from '../../../history/events.ts';
import type { InstanceLife, NodeLife, PodLife, RequestLife } from '../../../history/lives.ts';
import type { View } from '../../../history/view.ts';
import type { Describe } from '../../describe-event.ts';
import { formatCount, formatDuration, formatMoment } from '../../format.ts';
import { outcomeOf } from '../../outcome.ts';
import type { Bar, BarStyle, Lane, LaneGroup, Tick, TickStyle } from './model.ts';
import type { Scale } from './scale.ts';

/** Requests of one lane that fall into the same part of the timeline become one tick; those that went well sooner. */
const TICK_PARTS = 400;
const GOOD_TICK_PARTS = 80;

type Flagged = ReadonlyMap<string, number>;

/** One lane for the target: an incarnation after the other. */
export function targetLane(view: View, endMs: number): LaneGroup {
  const bars = view.incarnations.flatMap(({ number, start, ready, stop, exit }, index): Bar[] => {
    const next = view.incarnations[index + 1]?.start.t ?? endMs;
    const toMs = exit?.t ?? (stop === undefined ? next : Math.min(next, endMs));
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
              style: exit.provoked ? 'killed' : 'panic',
              title: `${formatMoment(exit.t)} ${exit.provoked ? 'killed by a fault' : 'exited by itself'}: ${exit.reason}`,
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

/** A lane for each operation that changes AWS, one for its reads, two for Kubernetes. */
export function requestLanes(view: View, scale: Scale, describe: Describe): LaneGroup {
  const lanes = new Map<string, RequestLife[]>();
  for (const request of view.requests.values()) {
    const { wire, mutating, operation } = request.start;
    const lane = wire === 'aws' ? (mutating ? operation : 'EC2 reads') : mutating ? 'Kubernetes writes' : 'Kubernetes reads';
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
        ticks: ticksOf(requests, { view, scale, describe }),
      })),
    hidden: '',
  };
}

function rankOf(lane: string): number {
  return lane.startsWith('ec2:') ? 0 : ['EC2 reads', 'Kubernetes writes', 'Kubernetes reads'].indexOf(lane) + 1;
}

function ticksOf(
  requests: readonly RequestLife[],
  { view, scale, describe }: { readonly view: View; readonly scale: Scale; readonly describe: Describe },
): Tick[] {
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

/** Instances, each with the nodes that it was; then nodes of which no instance is known. */
export function instanceLanes(view: View, endMs: number, flagged: Flagged, maxLanes: number): LaneGroup {
  const nodesOf = new Map<string | undefined, NodeLife[]>();
  for (const node of view.nodes) nodesOf.set(node.instance, [...(nodesOf.get(node.instance) ?? []), node]);
  const isFlagged = (instance: InstanceLife): boolean =>
    flagged.has(instance.object) || (nodesOf.get(instance.id) ?? []).some(({ object }) => flagged.has(object));
  const shown = keepFirst(view.instances, isFlagged, maxLanes);
  const known = new Set(view.instances.map(({ id }) => id));
  const strays = view.nodes.filter(({ instance }) => instance === undefined || !known.has(instance)).slice(0, maxLanes);
  const hidden = view.instances.length - shown.length;
  return {
    title: `Instances and their nodes (${view.instances.length})`,
    lanes: [
      ...shown.flatMap((instance) => [
        instanceLane(instance, endMs, flagged),
        ...(nodesOf.get(instance.id) ?? []).map((node) => ({ ...nodeLane(node, endMs, flagged), isNested: true })),
      ]),
      ...strays.map((node) => nodeLane(node, endMs, flagged)),
    ],
    hidden: hidden === 0 ? '' : `+${formatCount(hidden, 'more instance')}`,
  };
}

function instanceLane(instance: InstanceLife, endMs: number, flagged: Flagged): Lane {
  const { id, instanceType, zone, capacityType, steps, object } = instance;
  const what = `${capacityType} ${instanceType} in ${zone}`;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) => (to === 'pending' ? 'instance-pending' : to === 'running' ? 'instance-running' : 'ending'),
    isOver: (to) => to === 'terminated',
    titleOf: ({ to }) => `${id} (${what}) ${to}`,
  });
  const last = bars.at(-1);
  // Who looks for what was leaked looks at the bar that does not end.
  const isLeft = last !== undefined && flagged.has(object) && instance.ending === undefined;
  const shown = isLeft ? [...bars.slice(0, -1), { ...last, label: 'still live at the end' }] : bars;
  return lane({ label: `${id}  ${instanceType}`, title: `${id}: ${what}`, bars: shown }, flagged.get(object));
}

const NODE_STYLES: Readonly<Partial<Record<NodeLife['steps'][number]['to'], BarStyle>>> = {
  created: 'node-joining',
  ready: 'node-ready',
  uncordoned: 'node-ready',
  'not-ready': 'node-lost',
};

function nodeLane(node: NodeLife, endMs: number, flagged: Flagged): Lane {
  const { name, steps, object } = node;
  const bars = barsOf(steps, endMs, {
    styleOf: (to) => NODE_STYLES[to] ?? 'ending',
    isOver: (to) => to === 'gone',
    titleOf: ({ to }) => `node ${name} ${to}`,
  });
  return lane({ label: name, title: `node ${name}`, bars }, flagged.get(object));
}

/** Pods in the order of their creation. */
export function podLanes(view: View, endMs: number, flagged: Flagged, maxLanes: number): LaneGroup {
  const shown = keepFirst(view.pods, ({ object }) => flagged.has(object), maxLanes);
  const hidden = view.pods.length - shown.length;
  return {
    title: `Pods (${view.pods.length})`,
    lanes: shown.map((pod) => podLane(pod, endMs, flagged)),
    hidden: hidden === 0 ? '' : `+${formatCount(hidden, 'more pod')}`,
  };
}

function podLane(pod: PodLife, endMs: number, flagged: Flagged): Lane {
  const { name, steps, object, workload } = pod;
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
    { label: name.replace(/^default\//, ''), title: `pod ${name}${workload === undefined ? '' : ` of ${workload}`}`, bars },
    flagged.get(object),
  );
}

function lane(drawn: Pick<Lane, 'label' | 'title' | 'bars'>, flagged: number | undefined): Lane {
  return { ...drawn, ticks: [], ...(flagged === undefined ? {} : { flagged }) };
}

/** A stretch from each step to the next; steps that look the same are one stretch. */
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

/** The first ones up to a limit, those that matter before the others, in their own order. */
function keepFirst<T>(all: readonly T[], matters: (one: T) => boolean, limit: number): T[] {
  if (all.length <= limit) return [...all];
  const kept = new Set([...all.filter(matters), ...all.filter((one) => !matters(one))].slice(0, limit));
  return all.filter((one) => kept.has(one));
}

import { NO_COMPUTE_KNOWN, useOverTime } from '../use-over-time.ts';
import { sumsOf, thinned } from '../../../history/amounts.ts';
import type { Amount, Change } from '../../../history/amounts.ts';
import { targetsInstances } from '../../../history/ledger.ts';
import { measuresOf } from '../../../history/measures.ts';
import type { RequestLife } from '../../../history/lives.ts';
import type { View } from '../../../history/view.ts';
import { formatCount, formatPercent, formatShort, roundStepMs } from '../../format.ts';
import { outcomeOf } from '../../outcome.ts';
import type { Chart, ChartPoint, ChartStyle, Lane, LaneGroup } from './model.ts';
import type { Scale } from './scale.ts';

/** Most operations with their own chart, on each wire; the rest share one. */
const MAX_OPERATIONS = 6;
/** The least number of time intervals in which requests are counted. */
const BINS = 30;
/** Most changes of an amount that are drawn. */
const MAX_CHANGES = 100;

/** Requests on both wires, and cost and utilisation of the target's instances, over the time of a trial. */
export function chartGroups(view: View, scale: Scale): LaneGroup[] {
  return [...requestCharts(view, scale), amounts(view)];
}

function requestCharts(view: View, { endMs, breaks }: Scale): LaneGroup[] {
  const changingMs = endMs - breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const binMs = roundStepMs(changingMs, BINS);
  const requests = [...view.requests.values()].filter(({ start }) => start.principal === 'target');
  return (['aws', 'kube'] as const).flatMap((wire) => {
    const operations = Map.groupBy(
      requests.filter(({ start }) => start.wire === wire),
      ({ start }) => start.operation,
    );
    if (operations.size === 0) return [];
    const sorted = [...operations].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
    const rest = sorted.slice(MAX_OPERATIONS);
    const drawn: [string, RequestLife[]][] = [
      ...sorted.slice(0, MAX_OPERATIONS),
      ...(rest.length === 0
        ? []
        : [[formatCount(rest.length, 'other operation'), rest.flatMap(([, own]) => own)] as [string, RequestLife[]]]),
    ];
    return {
      title: `Requests to ${wire === 'aws' ? 'AWS' : 'Kubernetes'}, each ${formatShort(binMs)}`,
      lanes: drawn.map(([operation, own]) => rateLane(operation, own, { view, binMs })),
      hidden: '',
    };
  });
}

const THROTTLES = /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown/;

/** The outcome of a request, for its colour. An open watch is not a failure. */
function resultOf(request: RequestLife, view: View): 'ok' | 'throttled' | 'failed' {
  const outcome = outcomeOf(request, view);
  if (outcome === 'ok' || outcome === 'open') return 'ok';
  return request.end?.status === 429 || THROTTLES.test(request.end?.code ?? '') ? 'throttled' : 'failed';
}

function rateLane(
  operation: string,
  requests: readonly RequestLife[],
  { view, binMs }: { readonly view: View; readonly binMs: number },
): Lane {
  const bins = new Map<number, Record<'ok' | 'throttled' | 'failed', number>>();
  const totals = { ok: 0, throttled: 0, failed: 0 };
  for (const request of requests) {
    const place = Math.floor(request.start.t / binMs);
    const bin = bins.get(place) ?? { ok: 0, throttled: 0, failed: 0 };
    const result = resultOf(request, view);
    bin[result] += 1;
    totals[result] += 1;
    bins.set(place, bin);
  }
  const most = Math.max(...[...bins.values()].map(({ ok, throttled, failed }) => ok + throttled + failed));
  const order = ['ok', 'throttled', 'failed'] as const;
  const series = order.map((style) => ({
    style,
    points: [...bins].flatMap(([place, bin]): ChartPoint[] => {
      if (bin[style] === 0) return [];
      const below = order.slice(0, order.indexOf(style)).reduce((sum, one) => sum + bin[one], 0);
      return [
        { fromMs: place * binMs, toMs: Math.min((place + 1) * binMs, view.endMs), low: below / most, high: (below + bin[style]) / most },
      ];
    }),
  }));
  const bad = [
    ...(totals.throttled > 0 ? [`${totals.throttled} throttled`] : []),
    ...(totals.failed > 0 ? [`${totals.failed} failed, got no response or a response with errors`] : []),
  ];
  return {
    label: operation,
    title: `${operation}: ${formatCount(requests.length, 'request')}${bad.length === 0 ? ', all successful' : `, ${bad.join(', ')}`}; at most ${most} in ${formatShort(binMs)}`,
    bars: [],
    ticks: [],
    chart: { top: String(most), series: series.filter(({ points }) => points.length > 0) },
  };
}

/** The target's instances, their cost and their utilisation. */
function amounts(view: View): LaneGroup {
  const instances = targetsInstances(view).map(({ instance }) => instance);
  const changes = (valueOf: (instance: (typeof instances)[number]) => number, from: 'launched' | 'running'): Change[] =>
    instances.flatMap((instance) => {
      const begun = from === 'launched' ? instance.launched : instance.running;
      if (begun === undefined) return [];
      const value = valueOf(instance);
      return [
        { tMs: begun.t, by: value },
        ...(instance.ending === undefined ? [] : [{ tMs: Math.max(begun.t, instance.ending.t), by: -value }]),
      ];
    });
  const { usd, full } = measuresOf(view);
  const live = areaOf(
    changes(() => 1, 'launched'),
    view.endMs,
  );
  const cost = areaOf(
    changes(({ usdPerHour }) => usdPerHour, 'running'),
    view.endMs,
  );
  const use = useOverTime(view, new Set(instances.map(({ id }) => id)));
  const allRan =
    full?.utilisation === undefined
      ? ''
      : `; when all pods ran, ${formatPercent(full.utilisation.cpu)} of CPU and ${formatPercent(full.utilisation.memory)} of memory`;
  const useLanes = (['cpu', 'memory'] as const).map((what): Lane => {
    const name = what === 'cpu' ? 'CPU' : 'memory';
    return use === undefined
      ? { label: `${name}: not known`, title: NO_COMPUTE_KNOWN, bars: [], ticks: [] }
      : chartLane(
          `${name} requested of allocatable`,
          `${name} requested by pods on the target's ready nodes, relative to what these nodes have for pods${allRan}`,
          {
            top: '100 %',
            series: [
              {
                style: 'use',
                points: stepsToPoints(
                  use.map(({ tMs, cpu, memory }) => ({ tMs, value: Math.min(1, what === 'cpu' ? cpu : memory) })),
                  view.endMs,
                  1,
                ),
              },
            ],
          },
        );
  });
  return {
    title: 'Cost and utilisation',
    lanes: [
      chartLane(`instances, ${instances.length} in total`, `Live instances of the target, at most ${live.most} at once`, {
        top: String(live.most),
        series: [{ style: 'count', points: live.points }],
      }),
      chartLane(
        `cost: $${usd.toFixed(4)} in total`,
        `Cost of the target's running instances by the price list, at most $${cost.most.toFixed(3)} per hour; over the trial $${usd.toFixed(4)}`,
        {
          top: `$${cost.most.toFixed(2)}/h`,
          series: [{ style: 'cost', points: cost.points }],
        },
      ),
      ...(instances.length === 0 ? [] : useLanes),
    ],
    hidden: '',
  };
}

function chartLane(
  label: string,
  title: string,
  chart: { readonly top: string; readonly series: readonly { readonly style: ChartStyle; readonly points: readonly ChartPoint[] }[] },
): Lane {
  return { label, title, bars: [], ticks: [], chart: chart satisfies Chart };
}

/** The sum of changes over time, as an area relative to its maximum. */
function areaOf(changes: readonly Change[], endMs: number): { readonly most: number; readonly points: ChartPoint[] } {
  const sums = sumsOf(changes);
  const most = Math.max(0, ...sums.map((sum) => sum.value));
  return { most, points: most === 0 ? [] : stepsToPoints(sums, endMs, most) };
}

function stepsToPoints(steps: readonly Amount[], endMs: number, most: number): ChartPoint[] {
  const kept = thinned(steps, MAX_CHANGES);
  return kept.flatMap(({ tMs, value }, index) => {
    const toMs = kept[index + 1]?.tMs ?? endMs;
    // Rounding: a sum of prices does not return to exactly zero.
    return value / most < 1e-6 || toMs <= tMs ? [] : [{ fromMs: tMs, toMs, low: 0, high: value / most }];
  });
}

import type { ComparedRow, ComparedSection } from '../../history/comparison.ts';
import { PHASES } from '../../history/measures.ts';
import { mergeWaits, waitCurveOf } from '../../history/wait-curve.ts';
import { unitsForQuantile } from '../statistics/quantile.ts';
import { NODES_SETTING } from './compared-run.ts';
import type { ComparedScenarios, ComparedTrial } from './compared-run.ts';
import { columnsOf } from './match.ts';
import type { Matched } from './match.ts';
import { ALPHA } from './alpha.ts';
import { MARGINS } from './margins.ts';
import { meanRow, percentileRow, shareRow } from './rows.ts';
import type { RowContext } from './rows.ts';

/** Hours of an average month, as in the price list. */
const HOURS_PER_MONTH = 730;
const PERCENTILES = [50, 95, 99] as const;

interface Context extends ComparedScenarios, RowContext {}

/** The figures of all sides, by what they are about. */
export function sectionsOf(rows: readonly Matched[], context: Context): ComparedSection[] {
  return [
    successSection(rows, context),
    latencySection(rows, context),
    clusterSection(rows, context),
    disruptionSection(rows, context),
    apiSection(rows, context),
  ];
}

/** Provisioning and leaks: shares of trials. */
function successSection(rows: readonly Matched[], { sides }: Context): ComparedSection {
  const success = (id: string, title: string, among: readonly Matched[]): ComparedRow =>
    shareRow({ id, title, better: 'higher' }, sides, among, {
      of: ({ episode, unjudged }) => {
        const isUnjudged = unjudged.includes('success-rate');
        const { served, asked } = episode.success;
        // A late pod counts, even if something else is unknown.
        if (served < asked) return 'miss';
        if (isUnjudged) return 'unknown';
        return asked > 0 ? 'hit' : undefined;
      },
      detail: (judged) => {
        const sum = (of: 'asked' | 'served'): number => judged.reduce((all, { episode }) => all + episode.success[of], 0);
        return `${sum('served')} of ${sum('asked')} pods`;
      },
    });
  return {
    id: 'provisioning',
    title: 'Provisioning, verdicts and leaks',
    about: `Shares of trials. A trial provisioned if every pod that was to be served ran within its bound, under whatever faults its scenario has. Trials that could not be judged count in no share. The difference is in percentage points, over the same trials. "Same": it is at most ${MARGINS.share * 100} points either way, with each side's confidence.`,
    rows: [
      success('success', 'Provisioned: all scenarios', rows),
      success('success-spot', 'Provisioned: spot', rows.filter(isKind('spot'))),
      success('success-spread', 'Provisioned: topology spread', rows.filter(isKind('spread'))),
      shareRow({ id: 'passed', title: 'Passed every check', better: 'higher' }, sides, rows, {
        of: ({ episode: { verdict } }) => (verdict === 'pass' ? 'hit' : verdict === 'fail' ? 'miss' : 'unknown'),
        detail: (judged) => `${judged.filter(({ episode }) => episode.violations.length > 0).length} violated invariants`,
      }),
      shareRow({ id: 'leaks', title: 'Leaked an instance', better: 'lower' }, sides, rows, {
        of: ({ episode, unjudged }) =>
          episode.instances.leaked > 0 ? 'hit' : unjudged.includes('no-leaked-instances') ? 'unknown' : 'miss',
        detail: (judged) => {
          const sum = (of: 'created' | 'leaked'): number => judged.reduce((all, { episode }) => all + episode.instances[of], 0);
          return `${sum('leaked')} of ${sum('created')} instances`;
        },
      }),
    ],
  };
}

/** All sides run the same scenario, so it is enough if one of them has recorded its kind. */
function isKind(kind: 'spot' | 'spread'): (trials: Matched) => boolean {
  return (trials) => trials.some(({ measures }) => measures.kinds[kind]);
}

/** How long the steps of a scale-out take. */
function latencySection(rows: readonly Matched[], context: Context): ComparedSection {
  const { title, scenarios } = context.scaleOut;
  const among = rows.filter(([first]) => scenarios.includes(first?.episode.scenario ?? ''));
  const seen = new Set(among.flat().flatMap(({ measures }) => measures.waits.map(({ phase }) => phase)));
  const phases = [...PHASES.filter((phase) => seen.has(phase)), ...[...seen].filter((phase) => !PHASES.includes(phase))];
  const wanted = phases.length > 0 ? phases : ['pending -> running'];
  return {
    id: 'latency',
    title,
    about: `From ${scenarios.join(', ')}. Pods that ran out of time before a step count with their wait so far: the figure is then "at least". Bounds are order statistics that treat the pods of a trial as one, the worst case: a percentile has an upper bound only with enough trials, ${PERCENTILES.map((rank) => `p${rank} from ${unitsForQuantile(rank / 100, ALPHA)}`).join(', ')}.`,
    rows: wanted.flatMap((phase) => PERCENTILES.map((rank) => percentileRow(phase, rank, among, context))),
    curves: phases.map((phase) => ({
      phase,
      sides: columnsOf(among, context.sides).map((trials) => {
        const [waits] = mergeWaits(trials.map(({ measures }) => measures.waits.filter((one) => one.phase === phase)));
        return waitCurveOf(waits ?? { valuesMs: [], censoredMs: [] });
      }),
    })),
  };
}

/** The cluster when all pods run, and its cost. */
function clusterSection(rows: readonly Matched[], context: Context): ComparedSection {
  const { cost } = context;
  const size = cost.nodes === undefined ? '' : ` with ${cost.nodes} nodes`;
  const utilisation = (id: 'cpu' | 'memory', title: string): ComparedRow =>
    meanRow({ id: `utilisation-${id}`, title, better: 'higher', unit: 'ratio' }, rows, context, {
      partOf: ({ measures }) => {
        const value = measures.full?.utilisation?.[id];
        return value === undefined ? undefined : { above: value, below: 1 };
      },
      none: 'no trial in which all pods ran at once on every side shows the resources of nodes',
      margin: MARGINS.typical,
      isOfMarket: true,
    });
  return {
    id: 'cluster',
    title: 'The cluster once all pods run',
    about: `Means over the trials in which all pods ran at once on every side, in the first such moment. Utilisation is what pods request over what the target's nodes have for pods. The monthly cost is that of all instances of the target by the price list, for ${HOURS_PER_MONTH} hours: from ${cost.scenarios.join(', ')}${size}.`,
    rows: [
      utilisation('cpu', 'CPU utilisation'),
      utilisation('memory', 'Memory utilisation'),
      meanRow(
        { id: 'monthly-cost', title: cost.title, better: 'lower', unit: 'usd' },
        rows.filter(
          ([first]) =>
            cost.scenarios.includes(first?.episode.scenario ?? '') && (cost.nodes === undefined || nodesOf(first) === cost.nodes),
        ),
        context,
        {
          partOf: ({ measures: { full } }) => (full === undefined ? undefined : { above: full.usdPerHour * HOURS_PER_MONTH, below: 1 }),
          none: `no trial of such a scenario${cost.nodes === undefined ? '' : ` with --nodes ${cost.nodes}`} had all pods running on every side`,
          margin: MARGINS.typical,
          isOfMarket: true,
        },
      ),
    ],
  };
}

function nodesOf(trial: ComparedTrial | undefined): unknown {
  return trial?.setting[NODES_SETTING];
}

/** Pods that had to leave their node because of the target. */
function disruptionSection(rows: readonly Matched[], context: Context): ComparedSection {
  return {
    id: 'disruption',
    title: 'Disruptions',
    about:
      'Sums over all compared trials. A disruption is a running pod that the target evicted or deleted, for each pod that had to be served. Scenarios of drift, interruption and consolidation call for some.',
    rows: [
      meanRow({ id: 'disruptions', title: 'Disruptions per pod', better: 'lower', unit: 'number' }, rows, context, {
        partOf: ({ measures: { disruptions, pods } }) => (disruptions === undefined ? undefined : { above: disruptions, below: pods }),
        none: 'requests to Kubernetes can not be seen in this world',
        margin: MARGINS.requests,
      }),
    ],
  };
}

/** The target's requests to both APIs. */
function apiSection(rows: readonly Matched[], context: Context): ComparedSection {
  return {
    id: 'api',
    title: 'API requests',
    about:
      'Sums over all compared trials, including those with faults. A retry is a request for instances that returned fewer than requested, or failed. Requests are those to both APIs, for each pod that had to be served.',
    rows: [
      meanRow({ id: 'retries', title: 'Retries per launch', better: 'lower', unit: 'number' }, rows, context, {
        partOf: ({ measures: { launches } }) => ({ above: launches.failed, below: launches.instances }),
        none: 'nothing was launched',
        margin: MARGINS.requests,
      }),
      meanRow({ id: 'requests', title: 'Requests per pod', better: 'lower', unit: 'number' }, rows, context, {
        partOf: ({ measures: { requests, pods } }) => (requests === undefined ? undefined : { above: requests, below: pods }),
        none: 'not all requests can be seen in this world',
        margin: MARGINS.requests,
      }),
    ],
  };
}

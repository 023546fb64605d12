import type { ComparedRow, ComparedSection } from '../../history/comparison.ts';
import { PHASES } from '../../history/measures.ts';
import type { Episode } from '../episode.ts';
import { unitsForQuantile } from '../statistics/quantile.ts';
import { NODES_SETTING } from './compared-run.ts';
import type { ComparedScenarios, ComparedTrial } from './compared-run.ts';
import type { Matched } from './match.ts';
import { ALPHA, meanRow, percentileRow, shareRow } from './rows.ts';
import type { RowContext } from './rows.ts';

/** An average month, as the price list counts it. */
const HOURS_PER_MONTH = 730;
/** The cluster whose monthly cost is told. */
export const COSTED_NODES = 100;
const PERCENTILES = [50, 95, 99] as const;

interface Context extends ComparedScenarios, RowContext {}

/** The figures of all sides, by what they are about. */
export function sectionsOf(rows: readonly Matched[], context: Context): ComparedSection[] {
  return [successSection(rows, context), latencySection(rows, context), clusterSection(rows, context), apiSection(rows, context)];
}

/** Provisioning and leaks: shares of trials. */
function successSection(rows: readonly Matched[], { sides }: Context): ComparedSection {
  const success = (id: string, title: string, among: readonly Matched[]): ComparedRow =>
    shareRow({ id, title, better: 'higher' }, sides, among, (trials) => {
      const asked = trials.filter(({ episode, unjudged }) => wasAsked(episode) || unjudged.includes('success-rate'));
      // Who was late was late, whatever else is unknown.
      const judged = asked.filter(({ episode: { success: s }, unjudged }) => s.served < s.asked || !unjudged.includes('success-rate'));
      const pods = judged.reduce((sum, { episode }) => sum + episode.success.asked, 0);
      const served = judged.reduce((sum, { episode }) => sum + episode.success.served, 0);
      return {
        hits: judged.filter(({ episode: { success: s } }) => s.served === s.asked).length,
        trials: judged.length,
        unknown: asked.length - judged.length,
        detail: `${served} of ${pods} pods`,
      };
    });
  return {
    id: 'provisioning',
    title: 'Provisioning, verdicts and leaks',
    about:
      'Shares of trials. A trial provisioned if every pod that was to be served ran within its bound, under whatever faults its scenario has. Trials that could not be judged count in no share.',
    rows: [
      success('success', 'Provisioned: all scenarios', rows),
      success('success-spot', 'Provisioned: spot', rows.filter(isKind('spot'))),
      success('success-spread', 'Provisioned: topology spread', rows.filter(isKind('spread'))),
      shareRow({ id: 'passed', title: 'Passed every check', better: 'higher' }, sides, rows, (trials) => {
        const judged = trials.filter(({ episode }) => episode.verdict !== 'unknown');
        const broken = judged.filter(({ episode }) => episode.violations.length > 0).length;
        return {
          hits: judged.filter(({ episode }) => episode.verdict === 'pass').length,
          trials: judged.length,
          unknown: trials.length - judged.length,
          detail: `${broken} broke what tolerates none`,
        };
      }),
      shareRow({ id: 'leaks', title: 'Leaked an instance', better: 'lower' }, sides, rows, (trials) => {
        const judged = trials.filter(({ episode, unjudged }) => episode.instances.leaked > 0 || !unjudged.includes('no-leaked-instances'));
        const sum = (of: 'created' | 'leaked'): number => judged.reduce((all, { episode }) => all + episode.instances[of], 0);
        return {
          hits: judged.filter(({ episode }) => episode.instances.leaked > 0).length,
          trials: judged.length,
          unknown: trials.length - judged.length,
          detail: `${sum('leaked')} of ${sum('created')} instances`,
        };
      }),
    ],
  };
}

function wasAsked({ success }: Episode): boolean {
  return success.asked > 0;
}

/** What the scenario asks for is the same on all sides: who has it recorded says so. */
function isKind(kind: 'spot' | 'spread'): (trials: Matched) => boolean {
  return (trials) => trials.some(({ measures }) => measures.kinds[kind]);
}

/** How long the steps of a scale-out take. */
function latencySection(rows: readonly Matched[], context: Context): ComparedSection {
  const among = rows.filter(([first]) => context.scaleOut.includes(first?.episode.scenario ?? ''));
  const seen = new Set(among.flat().flatMap(({ measures }) => measures.waits.map(({ phase }) => phase)));
  const phases = [...PHASES.filter((phase) => seen.has(phase)), ...[...seen].filter((phase) => !PHASES.includes(phase))];
  const wanted = phases.length > 0 ? phases : ['pending -> running'];
  return {
    id: 'latency',
    title: 'Scale-out of ten nodes, by phase',
    about: `Of ${context.scaleOut.join(', ')}. Pods that had not taken a step when their time was up are counted with the time that they had waited: the figure is then "at least". Bounds are order statistics that take the pods of a trial for one, the worst case: a percentile has an upper bound only from a number of trials on, ${PERCENTILES.map((rank) => `p${rank} from ${unitsForQuantile(rank / 100, ALPHA)}`).join(', ')}.`,
    rows: wanted.flatMap((phase) => PERCENTILES.map((rank) => percentileRow(phase, rank, among, context))),
  };
}

/** What is there once all pods run, and what it costs. */
function clusterSection(rows: readonly Matched[], context: Context): ComparedSection {
  const utilisation = (id: 'cpu' | 'memory', title: string): ComparedRow =>
    meanRow({ id: `utilisation-${id}`, title, better: 'higher', unit: 'ratio' }, rows, context, {
      partOf: ({ measures }) => {
        const value = measures.full?.utilisation?.[id];
        return value === undefined ? undefined : { above: value, below: 1 };
      },
      none: 'no trial in which all pods ran at once on every side tells what nodes have',
      isOfMarket: true,
    });
  return {
    id: 'cluster',
    title: 'The cluster once all pods run',
    about: `Means over the trials in which all pods ran at once on every side, in the first such moment. Utilisation is what pods request over what the target's nodes have for pods. The monthly cost is that of all instances of the target by the price list, for ${HOURS_PER_MONTH} hours: of ${context.freeSize.join(', ')}, asked for ${COSTED_NODES} nodes.`,
    rows: [
      utilisation('cpu', 'CPU utilisation'),
      utilisation('memory', 'Memory utilisation'),
      meanRow(
        { id: 'monthly-cost', title: `Monthly cost of a ${COSTED_NODES}-node cluster`, better: 'lower', unit: 'usd' },
        rows.filter(([first]) => context.freeSize.includes(first?.episode.scenario ?? '') && nodesOf(first) === COSTED_NODES),
        context,
        {
          partOf: ({ measures: { full } }) => (full === undefined ? undefined : { above: full.usdPerHour * HOURS_PER_MONTH, below: 1 }),
          none: `no trial of such a scenario with --nodes ${COSTED_NODES} had all pods running on every side`,
          isOfMarket: true,
        },
      ),
    ],
  };
}

function nodesOf(trial: ComparedTrial | undefined): unknown {
  return trial?.setting[NODES_SETTING];
}

/** What the target asks of both APIs. */
function apiSection(rows: readonly Matched[], context: Context): ComparedSection {
  return {
    id: 'api',
    title: 'What it asks of the APIs',
    about:
      'Sums over all compared trials, those with faults among them. A retry is a request for instances that was answered with fewer than were asked for, or not at all. Requests are those on both wires, for each pod that was to be served.',
    rows: [
      meanRow({ id: 'retries', title: 'Retries a launch', better: 'lower', unit: 'number' }, rows, context, {
        partOf: ({ measures: { launches } }) => ({ above: launches.failed, below: launches.instances }),
        none: 'nothing was launched',
      }),
      meanRow({ id: 'requests', title: 'Requests a pod', better: 'lower', unit: 'number' }, rows, context, {
        partOf: ({ measures: { requests, pods } }) => (requests === undefined ? undefined : { above: requests, below: pods }),
        none: 'not all requests can be seen in this world',
      }),
    ],
  };
}

import { isDeepStrictEqual } from 'node:util';
import { COMPARISON_FORMAT } from '../history/comparison.ts';
import type {
  BrokenPromise,
  ComparedCell,
  ComparedChange,
  ComparedRow,
  ComparedSection,
  LeftOut,
  TargetComparison,
} from '../history/comparison.ts';
import { CONFIDENCE, binomialCdf, lowerSuccessBound, upperSuccessBound } from '../history/confidence.ts';
import { PHASES } from '../history/measures.ts';
import type { TrialMeasures } from '../history/measures.ts';
import type { TrialResult } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { createRandom } from '../runtime/random.ts';
import type { Random } from '../runtime/random.ts';
import type { Episode } from './episode.ts';
import { keyOf } from './sides.ts';
import { bootstrapRatio } from './statistics/bootstrap.ts';
import { quantileOf, unitsForQuantile } from './statistics/quantile.ts';
import type { Cluster, Statistic } from './statistics/quantile.ts';

const ALPHA = 1 - CONFIDENCE;
const REPLICATES = 2_000;
/** With fewer trials than this a bootstrap draws the same few again and again, and its bounds are far too close. */
const LEAST_FOR_BOOTSTRAP = 10;
/** An average month, as the price list counts it. */
const HOURS_PER_MONTH = 730;
/** The cluster whose monthly cost is told. */
export const COSTED_NODES = 100;
const PERCENTILES = [50, 95, 99] as const;

/** What must be the same in trials that are compared, by what messages call it. */
export type TrialSetting = Readonly<Record<string, unknown>>;

/** One trial of one side. */
export interface ComparedTrial {
  readonly episode: Episode;
  readonly measures: TrialMeasures;
  /** Names of checks that could not be judged. */
  readonly unjudged: readonly string[];
  readonly setting: TrialSetting;
}

/** One run, as its directory tells of it. */
export interface ComparedRun {
  readonly target: string;
  readonly directory: string;
  readonly version: string;
  readonly world: string;
  readonly time: 'virtual' | 'real';
  /** SHA-256 of the instance types and of the prices. */
  readonly digests: { readonly catalogue: string; readonly prices: string };
  readonly trials: readonly ComparedTrial[];
  /** Trials that the target can't be asked for: a feature or capability that is not there. */
  readonly notRun: readonly Absent[];
  /** Trials that were planned, and of which nothing is known. */
  readonly lost: readonly Absent[];
}

/** A trial of which there is nothing to compare. */
export interface Absent {
  readonly scenario: string;
  readonly seed: number;
  readonly why: string;
}

/** Which scenarios single figures are of, by their ids. */
export interface ComparedScenarios {
  /** Of the latency of a scale-out: ten nodes, without a fault. */
  readonly scaleOut: readonly string[];
  /** Of the cost of a cluster: as many nodes as were asked for. */
  readonly freeSize: readonly string[];
}

/** What is known of a trial's checks. */
export function unjudgedChecks({ checks }: Pick<TrialResult, 'checks'>): string[] {
  return checks.filter(({ verdict }) => verdict === 'unknown').map(({ check }) => check);
}

/**
 * Compares runs by the trials that all of them have. A trial is the unit: the pods in it share their instances, faults and
 * luck, and are drawn or left together. Bounds are one-sided, each at the comparison's confidence: exact ones on shares
 * (Clopper-Pearson), order statistics on percentiles, the bootstrap over trials on means. Pure, and the same for the same runs.
 *
 * Sides are told apart where the bounds of shares do not touch, and otherwise where the bootstrap over pairs of trials bounds
 * the ratio of their figures away from one.
 * @param runs two or more, all in virtual or all in real time
 */
export function compareTargets(runs: readonly ComparedRun[], scenarios: ComparedScenarios): TargetComparison {
  const { rows, leftOut } = matchTrials(runs);
  const sameMarket = runs.every(({ digests }) => isDeepStrictEqual(digests, runs[0]?.digests));
  const random = createRandom('comparison');
  return {
    format: COMPARISON_FORMAT,
    confidence: CONFIDENCE,
    sides: runs.map(({ target, directory, world, time, version, trials }, index) => ({
      letter: letterOf(index),
      target,
      directory,
      world,
      time,
      version,
      trials: trials.length,
    })),
    compared: { trials: rows.length, scenarios: [...new Set(rows.flatMap(([first]) => first?.episode.scenario ?? []))] },
    sections: rows.length === 0 ? [] : sectionsOf(rows, { ...scenarios, sides: runs.length, sameMarket, random }),
    broken: columnsOf(rows, runs.length).flatMap((trials, index) => brokenOf(letterOf(index), trials)),
    differences: differencesOf(runs),
    leftOut,
  };
}

/** `A`, `B`, ... `Z`, `A2`, ... */
export function letterOf(index: number): string {
  const round = Math.floor(index / 26);
  return `${String.fromCharCode('A'.charCodeAt(0) + (index % 26))}${round === 0 ? '' : round + 1}`;
}

/** The same trial of each side, in their order. */
type Matched = readonly ComparedTrial[];

function matchTrials(runs: readonly ComparedRun[]): { readonly rows: readonly Matched[]; readonly leftOut: LeftOut[] } {
  const byKey = runs.map(({ trials }) => new Map(trials.map((trial) => [keyOf(trial.episode), trial])));
  const absent = runs.map((run) => new Map([...run.notRun, ...run.lost].map((one) => [keyOf(one), one.why])));
  const all = new Map(
    runs.flatMap(({ trials, notRun, lost }) =>
      [...trials.map(({ episode }) => episode), ...notRun, ...lost].map((one) => [keyOf(one), one]),
    ),
  );
  const rows: Matched[] = [];
  const left = new Map<string, { scenario: string; seeds: number[]; why: string }>();
  for (const [key, { scenario, seed }] of all) {
    const those = byKey.map((trials) => trials.get(key));
    const there = those.filter((trial) => trial !== undefined);
    const unlike = Object.keys(there[0]?.setting ?? {}).filter((name) =>
      there.some(({ setting }) => !isDeepStrictEqual(setting[name], there[0]?.setting[name])),
    );
    const without = those.flatMap((trial, index) =>
      trial === undefined ? [`${letterOf(index)} has none${suffix(absent[index]?.get(key))}`] : [],
    );
    const why = without.length > 0 ? without.join('; ') : unlike.length > 0 ? `${unlike.join(', ')} differ` : undefined;
    if (why === undefined) {
      rows.push(there);
      continue;
    }
    const known = left.get(`${scenario} ${why}`);
    if (known === undefined) left.set(`${scenario} ${why}`, { scenario, seeds: [seed], why });
    else known.seeds.push(seed);
  }
  return { rows, leftOut: [...left.values()] };
}

function suffix(why: string | undefined): string {
  return why === undefined ? '' : `: ${why}`;
}

/** In what runs differ besides the target and the trials. */
function differencesOf(runs: readonly ComparedRun[]): string[] {
  const said = (what: string, of: (run: ComparedRun) => string, then: string): string[] =>
    new Set(runs.map(of)).size < 2 ? [] : [`${what}: ${runs.map((run, index) => `${of(run)} in ${letterOf(index)}`).join(', ')}. ${then}`];
  const short = (digest: string): string => digest.slice(0, 12);
  return [
    ...said('The worlds differ', ({ world }) => world, 'What is slower there may be the world, and not the target.'),
    ...said('The versions of Scaleproof differ', ({ version }) => version, 'All verdicts are those of the version that compares.'),
    ...said('The instance types differ', ({ digests }) => short(digests.catalogue), 'Utilisation and cost are not compared.'),
    ...said('The prices differ', ({ digests }) => short(digests.prices), 'Utilisation and cost are not compared.'),
  ];
}

/** By check and code, in the order in which they first come. */
function brokenOf(letter: string, trials: readonly ComparedTrial[]): BrokenPromise[] {
  const kinds = new Map<string, BrokenPromise>();
  for (const { episode } of trials) {
    const { scenario, seed, replay } = episode;
    const firsts = new Map(episode.violations.toReversed().map((one) => [`${one.check} ${one.code}`, one]));
    for (const [key, { check, code, object, message }] of firsts) {
      const known = kinds.get(key);
      if (known === undefined) kinds.set(key, { letter, check, code, trials: 1, example: { scenario, seed, object, message, replay } });
      else kinds.set(key, { ...known, trials: known.trials + 1 });
    }
  }
  return [...kinds.values()];
}

interface Context extends ComparedScenarios {
  readonly sides: number;
  /** All runs had the same instance types at the same prices. */
  readonly sameMarket: boolean;
  readonly random: Random;
}

function sectionsOf(rows: readonly Matched[], context: Context): ComparedSection[] {
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

interface Share {
  readonly hits: number;
  readonly trials: number;
  readonly unknown: number;
  readonly detail: string;
}

type RowName = Pick<ComparedRow, 'id' | 'title' | 'better'>;

function shareRow(
  name: RowName,
  sides: number,
  rows: readonly Matched[],
  countOf: (trials: readonly ComparedTrial[]) => Share,
): ComparedRow {
  const cells = columnsOf(rows, sides).map((trials): ComparedCell => {
    const { hits, trials: judged, unknown, detail } = countOf(trials);
    const more = unknown === 0 ? '' : `, ${unknown} unknown`;
    if (judged === 0) return { of: `0 trials${more}`, why: 'no compared trial is of this kind' };
    return {
      value: hits / judged,
      lower: lowerSuccessBound(hits, judged, ALPHA),
      upper: upperSuccessBound(hits, judged, ALPHA),
      of: `${hits} of ${counted(judged, 'trial')}${more}`,
      detail,
    };
  });
  const [first, ...others] = cells;
  return { ...name, unit: 'ratio', cells, changes: others.map((cell) => ({ outcome: apart(first, cell, name.better) })) };
}

/** Whether bounds on two figures leave no room for the same value. */
function apart(a: ComparedCell | undefined, b: ComparedCell, better: ComparedRow['better']): ComparedChange['outcome'] {
  if (a?.lower === undefined || a.upper === undefined || b.lower === undefined || b.upper === undefined) return 'unclear';
  if (b.lower > a.upper) return better === 'higher' ? 'better' : 'worse';
  if (b.upper < a.lower) return better === 'higher' ? 'worse' : 'better';
  return 'unclear';
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

function percentileRow(phase: string, rank: number, rows: readonly Matched[], { sides, random }: Context): ComparedRow {
  const share = rank / 100;
  const columns = columnsOf(rows, sides).map((trials) => trials.map((trial) => clusterOf(trial, phase)));
  const cells = columns.map((clusters) => percentileCell(clusters, share));
  const id = `${phase.replaceAll(/\W+/g, '-')}-p${rank}`;
  const trials = columns.map((clusters) => clusters.filter(({ weight }) => weight > 0).length);
  const isEnough = trials.every((count) => count >= unitsForQuantile(share, ALPHA));
  const figures = columns.map((clusters): Statistic => quantileOf(clusters, share));
  const changes = changesOf(figures, { size: rows.length, better: 'lower', isEnough, random: random.fork(id) });
  return { id, title: `${phase} p${rank}`, unit: 'ms', better: 'lower', cells, changes };
}

function clusterOf({ measures }: ComparedTrial, phase: string): Cluster {
  const waits = measures.waits.find((one) => one.phase === phase);
  const observations = [
    ...(waits?.valuesMs ?? []).map((value) => ({ value, isCensored: false })),
    ...(waits?.censoredMs ?? []).map((value) => ({ value, isCensored: true })),
  ];
  return { observations, weight: observations.length };
}

function percentileCell(all: readonly Cluster[], share: number): ComparedCell {
  const clusters = all.filter(({ weight }) => weight > 0);
  const trials = clusters.length;
  const pods = clusters.reduce((sum, { weight }) => sum + weight, 0);
  if (trials === 0) return { of: '0 pods', why: all.length === 0 ? 'no trial of such a scenario was compared' : 'no pod went through it' };
  const at = (one: number): { least: number; most: number } => quantileOf(clusters, one)(clusters.map(() => 1));
  const { least, most } = at(share);
  const ranks = orderBounds(trials, share);
  // The pods of one trial are a block: a lower bound is the block's first, an upper one its last.
  const lower = ranks.lower === undefined ? undefined : at((ranks.lower - 1) / trials + 1 / pods).least;
  const upper = ranks.upper === undefined ? Infinity : at(ranks.upper / trials).most;
  const needed = unitsForQuantile(share, ALPHA);
  return {
    value: least,
    ...(most > least ? { atLeast: true as const } : {}),
    ...defined({ lower }),
    ...(upper === Infinity ? {} : { upper }),
    of: `${counted(pods, 'pod')} in ${counted(trials, 'trial')}`,
    ...(trials < needed
      ? { why: `no upper bound below ${needed} trials` }
      : upper === Infinity
        ? { why: 'no upper bound: too many never did' }
        : {}),
  };
}

/** Which of so many independent values, in ascending order, bound a quantile from below and above, whatever their distribution. */
function orderBounds(count: number, share: number): { readonly lower?: number; readonly upper?: number } {
  const ranks = Array.from({ length: count }, (_, index) => index + 1);
  const lower = ranks.findLast((rank) => binomialCdf(rank - 1, count, share) <= ALPHA);
  const upper = ranks.find((rank) => binomialCdf(rank - 1, count, share) >= CONFIDENCE);
  return defined({ lower, upper });
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

/** What trials were asked for; its name is that of the flag. */
export const NODES_SETTING = '--nodes';

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

interface Part {
  readonly above: number;
  readonly below: number;
}

interface Mean {
  /** What a trial adds to the sum above and below; undefined where it tells neither. */
  readonly partOf: (trial: ComparedTrial) => Part | undefined;
  /** Why there is no figure if no trial tells. */
  readonly none: string;
  /** It depends on what could be bought, and for how much. */
  readonly isOfMarket?: boolean;
}

/** A quotient of sums, over the trials that tell it on every side. */
function meanRow(name: RowName & Pick<ComparedRow, 'unit'>, rows: readonly Matched[], context: Context, mean: Mean): ComparedRow {
  const { sides, sameMarket, random } = context;
  const told = rows.map((trials) => trials.map(mean.partOf)).filter((parts): parts is Part[] => parts.every((part) => part !== undefined));
  const columns = columnsOf(told, sides);
  const why =
    mean.isOfMarket === true && !sameMarket ? 'the instance types or their prices differ' : told.length === 0 ? mean.none : undefined;
  const figures = columns.map(quotientOf);
  const isEnough = why === undefined && told.length >= LEAST_FOR_BOOTSTRAP;
  const lone = random.fork(name.id);
  const cells = figures.map((figure, index): ComparedCell => {
    const of = counted(told.length, 'trial');
    if (why !== undefined) return { of: '0 trials', why };
    const value = figure(told.map(() => 1)).least;
    if (!Number.isFinite(value)) return { of, why: mean.none };
    if (!isEnough) return { value, of, why: `no bounds below ${LEAST_FOR_BOOTSTRAP} trials` };
    // Over one: the figure's own bounds.
    const one: Statistic = () => ({ least: 1, most: 1 });
    const { lower, upper } = ratioOf(one, figure, told.length, lone.fork(letterOf(index)));
    return { value, of, ...(Number.isFinite(lower) && Number.isFinite(upper) ? { lower, upper } : {}) };
  });
  const changes = changesOf(figures, { size: told.length, better: name.better, isEnough, random: lone });
  return { ...name, cells, changes };
}

function quotientOf(parts: readonly Part[]): Statistic {
  return (counts) => {
    let [above, below] = [0, 0];
    for (const [index, part] of parts.entries()) {
      above += part.above * (counts[index] ?? 0);
      below += part.below * (counts[index] ?? 0);
    }
    const value = below === 0 ? Number.NaN : above / below;
    return { least: value, most: value };
  };
}

/** Each side but the first against it, over pairs of trials. */
function changesOf(
  [first, ...others]: readonly Statistic[],
  how: { readonly size: number; readonly better: ComparedRow['better']; readonly isEnough: boolean; readonly random: Random },
): ComparedChange[] {
  const { size, better, isEnough, random } = how;
  return others.map((other, index) => {
    if (!isEnough || first === undefined) return { outcome: 'unclear' };
    const { estimate, lower, upper } = ratioOf(first, other, size, random.fork(`${letterOf(index + 1)} over A`));
    const outcome =
      lower > 1 ? (better === 'higher' ? 'better' : 'worse') : upper < 1 ? (better === 'higher' ? 'worse' : 'better') : 'unclear';
    const isFinite = [estimate.least, lower, upper].every(Number.isFinite);
    return { outcome, ...(isFinite ? { ratio: { value: estimate.least, lower, upper } } : {}) };
  });
}

function ratioOf(baseline: Statistic, candidate: Statistic, size: number, random: Random): ReturnType<typeof bootstrapRatio> {
  return bootstrapRatio({
    baseline: { size, statistic: baseline },
    candidate: { size, statistic: candidate },
    isPaired: true,
    alpha: ALPHA,
    replicates: REPLICATES,
    random,
  });
}

/** Matched things by side. */
function columnsOf<T>(rows: readonly (readonly T[])[], sides: number): T[][] {
  return Array.from({ length: sides }, (_, side) => rows.flatMap((row) => row.slice(side, side + 1)));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

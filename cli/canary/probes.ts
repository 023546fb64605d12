import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Episode } from '../../gate/episode.ts';
import { episodesOf } from '../../gate/episodes-of.ts';
import type { TrialKinds } from '../../history/measures.ts';
import { unservedOf } from '../../reports/manifests.ts';
import { chooseTarget } from '../choose.ts';
import type { ChosenTarget } from '../choose.ts';
import { abilitiesOf } from '../compare/abilities.ts';
import { readComparedRun } from '../compare/read-run.ts';
import { runTargets } from '../compare/run-targets.ts';
import type { NamedTarget } from '../compare/run-targets.ts';
import type { Console } from '../console.ts';
import { namesSpot } from '../../model/catalogue.ts';
import { selectScenarios } from '../manifests.ts';
import type { Selection } from '../manifests.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { UsageError } from '../usage-error.ts';
import { FIGHT, PROBE_KINDS, kindsOf } from './plan.ts';
import { describeEnd, runProgram } from './programs.ts';
import type { CanaryPlan, PROBE_VARIABLES, Place, ProbeKind } from './plan.ts';

/** How a history shows that a trial is a probe of a kind, so that nothing else is counted as one. */
const IS_OF: Readonly<Record<ProbeKind, (kinds: TrialKinds) => boolean>> = {
  spot: ({ spot }) => spot,
  topology: ({ spread }) => spread,
};
const WHY_NOT: Readonly<Record<ProbeKind, string>> = {
  spot: 'no pool of it allows spot instances',
  topology: 'no pod of it has a hard topology spread constraint',
};

/** Places that a command probes in parallel. */
const MAX_PROBERS = 4;

/** What one batch probes. */
export interface Batch {
  /** Of its first trial. */
  readonly seed: number;
  /** Its index in its stage, from 0: with many places, each batch takes the next few. */
  readonly turn: number;
  /** The fewest probes of the candidate, by kind. */
  readonly atLeast: Readonly<Record<ProbeKind, number>>;
  /** Places with the candidate, and places with the baseline. */
  readonly share: readonly Place[];
  readonly rest: readonly Place[];
}

/** The results of a batch. */
export interface Probed {
  readonly candidate: readonly Episode[];
  readonly baseline: readonly Episode[];
  /** Probes of the places themselves, without their neighbours. `known` counts those of the candidate that have a verdict. */
  readonly probes: Readonly<Record<'candidate' | 'baseline', number>>;
  readonly known: Readonly<Record<ProbeKind, number>>;
  /** How long the candidate was watched, in milliseconds, summed over the clocks of the places that have it. */
  readonly watchedMs: number;
}

/** Probes places. */
export interface Prober {
  /** Ids of the scenarios that it runs. */
  readonly scenarios: ReadonlySet<string>;
  /** Whether places are simulated: their time passes only while they are probed. */
  readonly isVirtual: boolean;
  /** The workloads that no probe shows to be served, if scenarios are made from manifests: a sentence each. */
  readonly unserved: readonly string[];
  /** How many seeds a batch uses up. */
  seedsOf(batch: Omit<Batch, 'seed'>): number;
  /**
   * One probe of each scenario with the baseline, before anything is changed: a scenario that fails there can't judge a candidate.
   * @param directory new
   * @throws UsageError when a scenario is not a probe of its kind, or the baseline does not pass it
   * @throws ProbeError and the signal's reason, like `run`
   */
  rehearse(directory: string, signal: AbortSignal): Promise<void>;
  /**
   * @param directory of the batch, new
   * @throws ProbeError when a place can't be probed
   * @throws the signal's reason when it is aborted
   */
  run(batch: Batch, directory: string, signal: AbortSignal): Promise<void>;
  /** The results of a finished batch. @throws UsageError */
  read(directory: string): Probed;
}

/** A place can't be probed. The message says which, and why. */
export class ProbeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProbeError';
  }
}

/** @throws UsageError when the plan can't be carried out */
export async function createProber(plan: CanaryPlan, options: ProberOptions): Promise<Prober> {
  const { probes } = plan;
  const kinds = kindsOf(plan);
  const [first = [], second = []] = kinds.map((kind) => probes[kind].scenarios);
  const twice = first.find((name) => second.includes(name));
  if (twice !== undefined)
    throw new UsageError(`the plan lists ${twice} under both kinds of probes, so it would be counted twice: remove one`);
  // A command starts the target that the place has.
  const targets = probes.command === undefined ? Object.values(sidesOf(plan)) : [];
  const chosen: Chosen = new Map();
  for (const kind of PROBE_KINDS) {
    // Those of a kind that is off are looked up too: a wrong name is a mistake in either case.
    const selection = await selectScenarios({ suites: [], scenarios: probes[kind].scenarios, manifests: undefined }, targets);
    if (kinds.includes(kind)) chosen.set(kind, selection);
  }
  const notSpot = chosen.get('spot')?.chosen.find(({ scenario }) => !scenario.pools.some(namesSpot));
  if (notSpot !== undefined) throw new UsageError(notAProbe(notSpot.scenario.id, 'spot'));
  return probes.command === undefined ? simulated(plan, chosen, options) : commanded(plan, chosen);
}

function notAProbe(scenario: string, kind: ProbeKind): string {
  const remedy = `name other scenarios in probes.${kind}.scenarios, or set probes.${kind}.atLeast to 0 for none`;
  return `${scenario} can't be a ${kind} probe: ${WHY_NOT[kind]}; ${remedy}`;
}

export interface ProberOptions {
  readonly workers: number | undefined;
  readonly startedAt: string;
  readonly console: Console;
}

/** The scenarios of each kind that the plan wants. */
type Chosen = Map<ProbeKind, Selection>;

function unservedBy(chosen: Chosen): string[] {
  const sentences = [...chosen.values()].flatMap(({ manifests }) => {
    const unserved = unservedOf(manifests);
    return unserved === undefined ? [] : [unserved.summary, ...unserved.gaps];
  });
  return [...new Set(sentences)];
}

type KindOfProbes = readonly [ProbeKind, Selection];

const idsOf = (chosen: Chosen): Set<string> =>
  new Set([...chosen.values()].flatMap((selection) => selection.chosen.map(({ scenario }) => scenario.id)));
/** `neighbour`: another baseline, in the same cluster as the candidate. If it does worse there, the candidate is the cause. */
type Side = 'candidate' | 'baseline' | 'neighbour';

/**
 * A simulated fleet: a probe is a trial in the embedded world, and the places take the seeds in turn. The control is the same place
 * with the baseline, which is only possible in a simulation: trials are paired.
 */
async function simulated(plan: CanaryPlan, chosen: Chosen, { workers, startedAt, console }: ProberOptions): Promise<Prober> {
  const sides = sidesOf(plan);
  const all = Object.keys(sides) as Side[];
  for (const { ref, label } of Object.values(sides)) {
    const { isVirtual, whyNotRun } = await abilitiesOf(ref);
    if (!isVirtual) throw new UsageError(`${label} is a program in real time, so its fleet can't be simulated: use probes.command`);
    for (const { scenario } of [...chosen.values()].flatMap((selection) => selection.chosen)) {
      const reason = whyNotRun(scenario);
      if (reason !== undefined) throw new UsageError(`${scenario.id} can't be a probe for ${label}: ${reason}`);
    }
  }
  // Prepared on first use: to show a plan, no programs are needed.
  const ready: Partial<Record<Side, ChosenTarget>> = {};
  const roundsOf = ([kind, selection]: KindOfProbes, { atLeast }: Pick<Batch, 'atLeast'>): number =>
    Math.ceil(atLeast[kind] / selection.chosen.length);
  const run = async (who: readonly Side[], of: KindOfProbes, seed: number, trials: number, directory: string, signal: AbortSignal) => {
    const [kind, { nodes, chosen: scenarios, manifests }] = of;
    const trialsOf = (): number => trials;
    const runs = { chosen: scenarios, manifests, seed, trialsOf, nodesOf: () => nodes, workers, sideNames: 'letter' as const };
    const targets: NamedTarget[] = [];
    for (const letter of who) {
      const side = sides[letter];
      if (side !== undefined) targets.push({ letter, target: (ready[letter] ??= await prepareTarget(side, console, signal)) });
    }
    await runTargets(targets, runs, { directory: join(directory, kind), startedAt, signal }, console);
    signal.throwIfAborted();
  };
  return {
    isVirtual: true,
    scenarios: idsOf(chosen),
    unserved: unservedBy(chosen),
    seedsOf: (batch) => Math.max(...[...chosen].map((kind) => roundsOf(kind, batch))),
    rehearse: async (directory, signal) => {
      for (const [kind, selection] of chosen) {
        await run(['baseline'], [kind, selection], plan.probes.seed, 1, directory, signal);
        refuseRehearsal([join(directory, kind, 'baseline')], kind);
      }
    },
    run: async (batch, directory, signal) => {
      for (const probes of chosen) await run(all, probes, batch.seed, roundsOf(probes, batch), directory, signal);
    },
    read: (directory) => readBatch(directory, [...chosen.keys()], (side) => (sides[side] === undefined ? [] : [side])),
  };
}

/** @throws UsageError when the plan needs targets to share a cluster, and they can't */
function sidesOf({ share, candidate, baseline }: CanaryPlan): Readonly<Partial<Record<Side, ReturnType<typeof chooseTarget>>>> {
  const alone = { candidate: chooseTarget(candidate), baseline: chooseTarget(baseline) };
  if (share.of === 'clusters') return alone;
  try {
    return {
      candidate: chooseTarget(`${candidate}+${baseline}`),
      baseline: chooseTarget(`${baseline}+${baseline}`),
      neighbour: chooseTarget(`${baseline}+${candidate}`),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the plan gives the candidate pools: ${FIGHT}. ${why}. Use share.clusters instead`);
  }
}

/** The variables of a prober's command. */
type ProbeValues = Readonly<Record<(typeof PROBE_VARIABLES)[number], string>>;

/** Real places: a command probes one of them, and writes a run directory. In real time, trials are not paired. */
function commanded(plan: CanaryPlan, chosen: Chosen): Prober {
  const { command = [], timeout, seed: firstSeed } = plan.probes;
  const probe = async (values: ProbeValues, signal: AbortSignal): Promise<void> => {
    const { end, line } = await runProgram(command, values, { limitMs: timeout, signal });
    // The results are in the directory; the exit code adds nothing.
    if (!existsSync(join(values.OUT, 'run.json')))
      throw new ProbeError(`${values.PLACE} can't be probed: \`${line}\` wrote no run directory: ${describeEnd(end, timeout)}`);
  };
  const jobsOf = (
    side: Side,
    [kind, selection]: KindOfProbes,
    { places, trials }: Portion,
    seed: number,
    directory: string,
  ): ProbeValues[] =>
    places.flatMap(({ name }, place) =>
      selection.chosen.map(({ label }, scenario) => ({
        SIDE: side,
        PLACE: name,
        TARGET: side === 'candidate' ? plan.candidate : plan.baseline,
        SCENARIO: label,
        // Each place has its own seeds, so that no trial looks like a repetition of another.
        SEED: String(seed + place * trials),
        TRIALS: String(trials),
        OUT: join(directory, kind, side, `${name}-${scenario + 1}`),
      })),
    );
  const portion = ([kind, selection]: KindOfProbes, side: 'share' | 'rest', batch: Omit<Batch, 'seed'>): Portion =>
    portionOf(batch[side], Math.ceil(batch.atLeast[kind] / selection.chosen.length), batch.turn);
  return {
    isVirtual: false,
    scenarios: idsOf(chosen),
    unserved: unservedBy(chosen),
    seedsOf: (batch) =>
      Math.max(
        ...[...chosen]
          .flatMap((probes) => (['share', 'rest'] as const).map((side) => portion(probes, side, batch)))
          .map(({ places, trials }) => places.length * trials),
      ),
    rehearse: async (directory, signal) => {
      for (const [kind, selection] of chosen) {
        const jobs = jobsOf('baseline', [kind, selection], { places: plan.share.places.slice(0, 1), trials: 1 }, firstSeed, directory);
        for (const job of jobs) await probe(job, signal);
        refuseRehearsal(
          jobs.map(({ OUT }) => OUT),
          kind,
        );
      }
    },
    run: async (batch, directory, signal) => {
      const jobs = [...chosen].flatMap((probes) => [
        ...jobsOf('candidate', probes, portion(probes, 'share', batch), batch.seed, directory),
        ...jobsOf('baseline', probes, portion(probes, 'rest', batch), batch.seed, directory),
      ]);
      // One after the other in each place: a probe needs the cluster for itself.
      const queues = [...Map.groupBy(jobs, ({ PLACE }) => PLACE).values()];
      const work = async (): Promise<void> => {
        for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) for (const job of queue) await probe(job, signal);
      };
      const careful = async (): Promise<void> => {
        try {
          await work();
        } catch (error) {
          // The batch is lost: the other workers finish their current job and stop.
          queues.length = 0;
          throw error;
        }
      };
      const failed = (await Promise.allSettled(Array.from({ length: MAX_PROBERS }, careful))).find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    read: (directory) =>
      readBatch(directory, [...chosen.keys()], (side, kind) => {
        const inside = join(directory, kind, side);
        return existsSync(inside) ? readdirSync(inside).map((name) => join(side, name)) : [];
      }),
  };
}

/** Places of one side that a batch probes, and the number of trials of each scenario in each. */
interface Portion {
  readonly places: readonly Place[];
  readonly trials: number;
}

/** The next few places, in turn. */
function portionOf(places: readonly Place[], needed: number, turn: number): Portion {
  const count = Math.min(places.length, needed);
  if (count === 0) return { places: [], trials: 0 };
  const some = Array.from({ length: count }, (_, index) => places[(turn * count + index) % places.length]);
  return { places: some.filter((place) => place !== undefined), trials: Math.ceil(needed / count) };
}

/** Marks a scenario that is probed in the neighbour. It is compared with a baseline that shares its cluster with another baseline. */
const BESIDE = ' (beside the candidate)';

/** @param runsOf the run directories of a side, within those of a kind */
function readBatch(directory: string, kinds: readonly ProbeKind[], runsOf: (side: Side, kind: ProbeKind) => readonly string[]): Probed {
  const read = (side: Side) =>
    kinds.flatMap((kind) => runsOf(side, kind).map((run) => ({ kind, ...readProbes(join(directory, kind, run), kind) })));
  const episodesOf = (runs: ReturnType<typeof read>): Episode[] => runs.flatMap(({ episodes }) => episodes);
  const candidate = read('candidate');
  const [own, control, beside] = [episodesOf(candidate), episodesOf(read('baseline')), episodesOf(read('neighbour'))];
  if (own.length === 0) throw new ProbeError(`${directory} has no trial of the candidate: the prober did not run what was requested`);
  const besides = (episodes: readonly Episode[]): Episode[] => episodes.map((one) => ({ ...one, scenario: `${one.scenario}${BESIDE}` }));
  const known = (kind: ProbeKind): number =>
    candidate.reduce((sum, run) => sum + (run.kind === kind ? run.episodes.filter(({ verdict }) => verdict !== 'unknown').length : 0), 0);
  return {
    candidate: [...own, ...besides(beside)],
    baseline: [...control, ...(beside.length === 0 ? [] : besides(control))],
    probes: { candidate: own.length, baseline: control.length },
    known: { spot: known('spot'), topology: known('topology') },
    watchedMs: candidate.reduce((sum, { watchedMs }) => sum + watchedMs, 0),
  };
}

/** The probes of one run directory. @throws UsageError when a trial is not a probe of the kind */
function readProbes(directory: string, kind: ProbeKind): { readonly episodes: readonly Episode[]; readonly watchedMs: number } {
  const run = readComparedRun(directory, () => true);
  for (const { episode, measures } of run.trials)
    if (episode.verdict !== 'unknown' && !IS_OF[kind](measures.kinds)) throw new UsageError(notAProbe(episode.scenario, kind));
  return {
    episodes: episodesOf(run),
    watchedMs: run.trials.reduce((sum, { measures }) => sum + measures.lastedMs, 0),
  };
}

function refuseRehearsal(directories: readonly string[], kind: ProbeKind): void {
  for (const { scenario, verdict, replay } of directories.flatMap((directory) => readProbes(directory, kind).episodes))
    if (verdict !== 'pass')
      throw new UsageError(
        `the baseline does not pass ${scenario} (${verdict}), so this scenario can't judge a candidate; nothing has been changed.${replay === '' ? '' : ` \`scaleproof replay ${replay}\``}`,
      );
}

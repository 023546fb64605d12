import type { TrialResult } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import type { Random } from '../runtime/random.ts';
import { drawScenario } from './draw/scenario.ts';
import { USUAL_OPERATIONS } from './draw/site.ts';
import type { DrawSite } from './draw/site.ts';
import { Combinations, newestFirst } from './combinations.ts';
import { mostCovering } from './most-covering.ts';
import { ingredientsOf, isLike, isOf, isSame, symptomsOf, withoutIngredients } from './findings.ts';
import type { Cause, Symptom } from './findings.ts';
import type { ScenarioData } from './scenario-data.ts';
import { shrink } from './shrink.ts';
import { cross, vary, varyCalm } from './vary.ts';

/** A trial of a generated scenario. */
export interface Explored {
  readonly data: ScenarioData;
  /** Absent if it could not be run or judged; `problem` says why. */
  readonly result?: TrialResult;
  readonly problem?: string;
  /** What it reached. */
  readonly coverage: ReadonlySet<string>;
  /** Events in its history: what it costs, whatever the machine. */
  readonly events: number;
  /** The operations that the target sent. */
  readonly operations: ReadonlySet<string>;
}

/** Runs trials of scenarios, in any order and several at once. @returns in the order of the scenarios; shorter if interrupted */
export type RunScenarios = (scenarios: readonly ScenarioData[]) => Promise<readonly Explored[]>;

/** Something that was found for the first time. */
export interface Found {
  readonly cause: Cause;
  /** What else failed in the same trial. */
  readonly also: readonly Symptom[];
  /** The smallest scenario that shows it, or the one in which it was found if that was not made smaller. */
  readonly data: ScenarioData;
  readonly result: TrialResult;
  /** Name of the scenario in which it was found. */
  readonly foundIn: string;
  /** Trials of the search up to that one. */
  readonly afterTrials: number;
  /** Trials to make it smaller. */
  readonly shrinkTrials: number;
  /** Whether it was not made smaller. */
  readonly isAsDrawn: boolean;
}

/** A scenario that reached something new, what it reached, and what its trial cost. */
type Member = Pick<Explored, 'data' | 'coverage' | 'events'>;

/** A trial of a scenario that failed. */
interface Failure {
  readonly data: ScenarioData;
  readonly result: TrialResult;
  readonly symptom: Symptom;
}

/** How far a search is. */
export interface Standing {
  readonly trials: number;
  readonly shrinkTrials: number;
  readonly covered: number;
  readonly interleavings: number;
  readonly corpus: number;
  readonly found: number;
  /** Failures that a known cause explains. */
  readonly known: number;
  /** Failures that are not told, since enough of their code were told as they were drawn. */
  readonly untold: number;
  /** Trials without a verdict. */
  readonly unknown: number;
}

/** Trials that are drawn together, before any of them is judged: what is drawn must not depend on the number of workers. */
export const ROUND = 32;
/** The share of scenarios that are drawn from nothing once there is a corpus. */
const FRESH = 0.25;
/** The share of the others that vary one without its faults. */
const CALM = 0.3;
/** The share of those that keep faults which are made of two. */
const CROSSED = 0.2;
/**
 * The share of variations of which several are made, to take the one that brings the most things together that were not yet. Others only
 * change times and sizes.
 */
const CHOSEN = 0.5;
const CANDIDATES = 6;
/** Members of the corpus that reached something lately are taken this often. */
const RECENT = 0.5;
const RECENT_MEMBERS = 40;

/** Failures of one code that are told as they were drawn. */
const MAX_AS_DRAWN = 10;

/** Failures of one code that known causes seem to explain, for which one further trial each asks whether they do. */
const MAX_CONFIRMED = 50;

/**
 * Most events in the histories of all trials that make one finding smaller, batches of candidates apart. A usual trial has 2,000, so that the
 * limit of trials comes first; one that goes on for hours of virtual time has 50,000 or more.
 */
const MAX_SHRINK_EVENTS = 2_000_000;

/** Most trials without a verdict whose reason is told. */
const MAX_PROBLEMS = 3;

/** What a search works with. */
export interface SearchOptions {
  readonly random: Random;
  /** What the target and its world can do. */
  readonly site: Omit<DrawSite, 'operations'>;
  readonly run: RunScenarios;
  /** Causes that are counted and not looked at again. */
  readonly known?: readonly Cause[];
  /** Scenarios of earlier searches: they run first. */
  readonly corpus?: readonly ScenarioData[];
  /** Whether what fails is made smaller, true by default. If not, it is told as it was drawn: the first ten failures of each code. */
  readonly shrinks?: boolean;
  /** It is over after so many findings. */
  readonly maxFindings?: number;
  readonly onFound?: (found: Found) => void;
  /** A scenario reached something new. */
  readonly onKept?: (data: ScenarioData) => void;
}

/**
 * Looks for scenarios that fail. Which scenarios it runs depends on its seed, its corpus and the target alone, so that a search can be
 * repeated.
 */
export class Search {
  readonly #options: SearchOptions;
  readonly #random: Random;
  readonly #corpus: Member[] = [];
  readonly #covered = new Set<string>();
  readonly #combinations = new Combinations();
  readonly #interleavings = new Set<string>();
  readonly #operations = new Set<string>(USUAL_OPERATIONS);
  readonly #known: Cause[];
  readonly #found: Found[] = [];
  readonly #waiting: ScenarioData[];
  /** Names of the scenarios that were in the corpus from the start and could be judged. */
  readonly #judged = new Set<string>();
  #trials = 0;
  #shrinkTrials = 0;
  #knownFailures = 0;
  #untold = 0;
  /** Such trials so far, by check and code. */
  readonly #confirmed = new Map<string, number>();
  #unknown = 0;
  readonly #problems = new Set<string>();

  constructor(options: SearchOptions) {
    this.#options = options;
    const { random, corpus = [] } = options;
    // With what an earlier search of the same seed kept, the next one goes on elsewhere, and names nothing as that one did.
    this.#random = corpus.length === 0 ? random : random.fork(`corpus ${corpus.map(({ name }) => name).join()}`);
    this.#known = [...(options.known ?? [])];
    this.#waiting = [...corpus];
  }

  get found(): readonly Found[] {
    return this.#found;
  }

  /** Whether it has as many findings as were asked for. */
  get isOver(): boolean {
    return this.#found.length >= (this.#options.maxFindings ?? Infinity);
  }

  /** Why some trials have no verdict, at most a few different reasons. */
  get problems(): readonly string[] {
    return [...this.#problems];
  }

  get standing(): Standing {
    return {
      trials: this.#trials,
      shrinkTrials: this.#shrinkTrials,
      covered: this.#covered.size,
      interleavings: this.#interleavings.size,
      corpus: this.#corpus.length,
      found: this.#found.length,
      known: this.#knownFailures,
      untold: this.#untold,
      unknown: this.#unknown,
    };
  }

  /**
   * The names of those scenarios of the corpus that can go if it is to have at most `most`: all but those that together reach the most
   * places for what their trials cost. Also those go that reach nothing which the others don't. Those that could not be judged stay.
   */
  dispensable(most: number): Set<string> {
    const best = new Set(mostCovering(this.#corpus, most).map(({ data }) => data.name));
    const names = [...this.#judged, ...this.#corpus.map(({ data }) => data.name)];
    return new Set(names.filter((name) => !best.has(name)));
  }

  /** Runs one round of at most `most` trials, and makes what it found smaller. */
  async round(most: number = ROUND): Promise<void> {
    const scenarios = Array.from({ length: Math.min(most, ROUND) }, (_one, index) => this.#next(this.#trials + index + 1));
    const explored = await this.#options.run(scenarios);
    for (const one of explored) this.#keep(one);
    const before = this.#trials;
    this.#trials += explored.length;
    for (const [index, one] of explored.entries()) {
      if (this.isOver) break;
      await this.#look(one, before + index + 1);
    }
  }

  #next(number: number): ScenarioData {
    const next = this.#waiting.shift() ?? this.#draw(number);
    this.#combinations.add(next);
    return next;
  }

  #draw(number: number): ScenarioData {
    const random = this.#random.fork(`scenario ${number}`);
    const name = `${random.hex(8)}-${number}`;
    const site = { ...this.#options.site, operations: [...this.#operations].sort() };
    const newnessOf = (data: ScenarioData): number => this.#combinations.countNew(data);
    if (this.#corpus.length === 0 || random.chance(FRESH)) return drawScenario(random, name, site, newnessOf);
    const member = this.#member(random);
    const isCalm = random.chance(CALM);
    const varied = (): ScenarioData => {
      if (isCalm) return varyCalm(random, member, name, site);
      return random.chance(CROSSED) ? cross(random, member, this.#member(random), name) : vary(random, member, name, site);
    };
    const first = varied();
    if (!random.chance(CHOSEN)) return first;
    const all = [first, ...Array.from({ length: CANDIDATES - 1 }, varied)];
    return newestFirst(all, newnessOf)[0] ?? first;
  }

  /** The smaller of two, so that variations stay small: more of them run in the same time. */
  #member(random: Random): ScenarioData {
    const among = random.chance(RECENT) ? this.#corpus.slice(-RECENT_MEMBERS) : this.#corpus;
    const [one, other] = [random.pick(among), random.pick(among)];
    return (one.events <= other.events ? one : other).data;
  }

  #keep({ data, coverage, operations, result, events }: Explored): void {
    for (const one of operations) this.#operations.add(one);
    if (result === undefined) return;
    if (result.verdict !== 'unknown' && this.#options.corpus?.some(({ name }) => name === data.name) === true) this.#judged.add(data.name);
    this.#interleavings.add(result.interleaving);
    const before = this.#covered.size;
    for (const key of coverage) this.#covered.add(key);
    if (this.#covered.size === before) return;
    this.#corpus.push({ data, coverage, events });
    this.#options.onKept?.(data);
  }

  async #look({ data, result, problem }: Explored, number: number): Promise<void> {
    if (result === undefined || result.verdict === 'unknown') this.#countUnknown(data, problem ?? reasonOf(result));
    if (result === undefined) return;
    if (!(this.#options.shrinks ?? true)) {
      this.#lookAsDrawn(data, result, number);
      return;
    }
    for (const symptom of symptomsOf(result)) {
      const causes = this.#known.filter((cause) => isOf(cause, symptom, data));
      const isKnown = causes.length > 0;
      const other = isKnown && !this.isOver ? await this.#withoutKnown(data, symptom, causes) : undefined;
      if (isKnown && other === undefined) this.#knownFailures += 1;
      else if (!this.isOver) await this.#shrink(other ?? { data, result, symptom }, number);
    }
  }

  /**
   * The same failure of a scenario without what the known causes are made of, so that these can't explain it.
   * @returns undefined if they do, or if that was tried often enough
   */
  async #withoutKnown(data: ScenarioData, symptom: Symptom, causes: readonly Cause[]): Promise<Failure | undefined> {
    const key = `${symptom.check} ${symptom.code}`;
    const tried = this.#confirmed.get(key) ?? 0;
    // A cause without parts explains all that is like it.
    if (tried >= MAX_CONFIRMED || causes.some(({ ingredients }) => ingredients.length === 0)) return undefined;
    const parts = causes.flatMap(({ ingredients }) => ingredients);
    const left = withoutIngredients(data, parts);
    if (left === undefined) return undefined;
    this.#confirmed.set(key, tried + 1);
    const explored = await this.#options.run([left]);
    this.#shrinkTrials += explored.length;
    const result = explored[0]?.result;
    const same = result === undefined ? undefined : symptomsOf(result).find((one) => isLike(one, symptom));
    return result === undefined || same === undefined ? undefined : { data: left, result, symptom: same };
  }

  #countUnknown({ name }: ScenarioData, why: string): void {
    this.#unknown += 1;
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.add(`${name}: ${why}`);
  }

  /** Tells one failure of a trial that no known cause explains, if there were few of its code so far. What else failed is told with it. */
  #lookAsDrawn(data: ScenarioData, result: TrialResult, number: number): void {
    const symptoms = symptomsOf(result);
    if (symptoms.length === 0) return;
    const fresh = symptoms.filter((symptom) => !this.#known.some((cause) => isOf(cause, symptom, data)));
    const symptom = fresh.find((one) => this.#found.filter(({ cause }) => isSame(cause, one)).length < MAX_AS_DRAWN);
    if (fresh.length === 0) this.#knownFailures += 1;
    else if (symptom === undefined) this.#untold += 1;
    else this.#tell({ data, result, symptom, foundIn: data.name, afterTrials: number, shrinkTrials: 0, isAsDrawn: true });
  }

  async #shrink({ data, result: first, symptom }: Failure, number: number): Promise<void> {
    const results = new Map<ScenarioData, TrialResult>();
    let events = 0;
    const shows = async (candidates: readonly ScenarioData[]): Promise<boolean[]> => {
      if (events >= MAX_SHRINK_EVENTS) return [];
      const named = candidates.map((one) => ({ ...one, name: nameOf(symptom, number) }));
      const explored = await this.#options.run(named);
      this.#shrinkTrials += explored.length;
      events += explored.reduce((sum, one) => sum + one.events, 0);
      return explored.map(({ result }, index) => {
        const candidate = candidates[index];
        if (candidate === undefined || result === undefined || !symptomsOf(result).some((one) => isLike(one, symptom))) return false;
        results.set(candidate, result);
        return true;
      });
    };
    const { data: smallest, trials } = await shrink(data, shows);
    const named = { ...smallest, name: nameOf(symptom, number) };
    const last = results.get(smallest) ?? (await this.#options.run([named]))[0]?.result;
    if (last === undefined) {
      // Interrupted before anything could be left out. One example is enough: which others have the same cause is not known.
      if (this.#found.some(({ cause }) => isSame(cause, symptom))) return;
      this.#tell({ data, result: first, symptom, foundIn: data.name, afterTrials: number, shrinkTrials: trials, isAsDrawn: true });
      return;
    }
    if (this.#known.some((cause) => isOf(cause, symptom, smallest))) {
      this.#knownFailures += 1;
      return;
    }
    this.#tell({ data: named, result: last, symptom, foundIn: data.name, afterTrials: number, shrinkTrials: trials, isAsDrawn: false });
  }

  #tell({ symptom, ...rest }: Omit<Found, 'cause' | 'also'> & { readonly symptom: Symptom }): void {
    const ingredients = ingredientsOf(rest.data);
    const symptoms = symptomsOf(rest.result);
    // What else fails in the smallest trial has the same cause. Of a larger one that is not sure.
    if (this.#options.shrinks ?? true) this.#known.push(...symptoms.map((one) => ({ ...one, ingredients })));
    const { about } = symptoms.find((one) => isLike(one, symptom)) ?? symptom;
    const found: Found = {
      cause: { ...symptom, ...defined({ about }), ingredients },
      also: symptoms.filter((one) => !isSame(one, symptom)),
      ...rest,
    };
    this.#found.push(found);
    this.#options.onFound?.(found);
  }
}

/** What the first check without a verdict says. */
function reasonOf(result: TrialResult | undefined): string {
  const check = result?.checks.find(({ verdict }) => verdict === 'unknown');
  return check === undefined ? 'it was not judged' : `${check.check}: ${check.summary}`;
}

/** What it shows, and the trial of the search. */
function nameOf({ code }: Symptom, number: number): string {
  return `${code}-${number}`;
}

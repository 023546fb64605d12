import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { causeSchema, causesOf } from '../../explore/findings.ts';
import type { Cause } from '../../explore/findings.ts';
import { parseScenarioData } from '../../explore/scenario-data.ts';
import type { ScenarioData } from '../../explore/scenario-data.ts';
import type { Found, Standing } from '../../explore/search.ts';
import { problemOf } from '../../model/mistake.ts';
import { UsageError } from '../usage-error.ts';
import { readUserFile } from '../user-file.ts';

/** The format of findings.json. */
const FINDINGS_SCHEMA = 'scaleproof.dev/explored/v1';
/** The folder of scenario files in the directory of a search. */
const SCENARIOS = 'scenarios';

/** A scenario in a file that the user named. @throws UsageError that names the file and the field */
export function scenarioFile(path: string): ScenarioData {
  try {
    return parseScenarioData(parseJson(path, 'scenario'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} is not a valid scenario: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseJson(path: string, what: string): unknown {
  const text = readUserFile(path, what);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const findingsSchema = z.looseObject({
  schema: z.literal(FINDINGS_SCHEMA),
  findings: z.array(z.looseObject({ cause: causeSchema, also: z.array(causeSchema.omit({ ingredients: true })) })),
  known: z.array(causeSchema),
});

/** The causes that an earlier search listed. @throws UsageError when it is not the findings.json of a search */
export function readKnown(path: string): Cause[] {
  const value = parseJson(path, 'findings');
  const problem = problemOf(findingsSchema, value, 'the file');
  if (problem !== undefined) throw new UsageError(`${path} is not the findings.json of a search: ${problem}`);
  const { findings, known } = findingsSchema.parse(value);
  return [...known, ...findings.flatMap(causesOf)];
}

/** Where a scenario is in the directory of a search. */
export function scenarioPath(directory: string, name: string): string {
  return join(directory, SCENARIOS, `${name}.json`);
}

/** A path as a user would type it here: replay lines have it. */
export function pathFromHere(path: string): string {
  const near = relative('.', path);
  return near === '..' || near.startsWith(`..${sep}`) ? path : `./${near}`;
}

export function writeScenario(directory: string, data: ScenarioData): void {
  mkdirSync(join(directory, SCENARIOS), { recursive: true });
  writeFileSync(scenarioPath(directory, data.name), formatScenario(data));
}

/** One line for each pool, workload, fault and step: a small scenario fits on a screen. */
export function formatScenario({ pools, workloads, daemonSets, faults, steps, ...head }: ScenarioData): string {
  const list = (name: string, items: readonly unknown[]): string =>
    items.length === 0 ? `  "${name}": []` : `  "${name}": [\n${items.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]`;
  const fields = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const lists = [
    list('pools', pools),
    list('workloads', workloads),
    list('daemonSets', daemonSets),
    list('faults', faults),
    list('steps', steps),
  ];
  return `{\n${[...fields, ...lists].join(',\n')}\n}\n`;
}

/** Writes findings.json, which a later search takes with `--known`. It has no time of day: the same search writes the same. */
export function writeFindings(
  directory: string,
  {
    found,
    ...rest
  }: {
    readonly target: string;
    readonly seed: number;
    readonly standing: Standing;
    readonly found: readonly Found[];
    readonly known: readonly Cause[];
  },
): void {
  const findings = found.map(({ cause, data, result, ...how }) => ({
    cause,
    scenario: `${SCENARIOS}/${data.name}.json`,
    messages: messagesOf({ cause, result }),
    ...how,
  }));
  writeFileSync(join(directory, 'findings.json'), `${JSON.stringify({ schema: FINDINGS_SCHEMA, ...rest, findings }, undefined, 2)}\n`);
}

/** What the check said. */
export function messagesOf({ cause, result }: Pick<Found, 'cause' | 'result'>): string[] {
  return result.checks
    .filter(({ check }) => check === cause.check)
    .flatMap(({ findings, summary }) =>
      findings.length === 0 ? [summary] : findings.filter(({ code }) => code === cause.code).map(({ message }) => message),
    );
}

/** Scenarios that reached something new, kept in a directory between searches. Without a directory, nothing is kept. */
export class Corpus {
  /** The short ones first: more of them run in the same time. */
  readonly scenarios: readonly ScenarioData[];
  readonly #directory: string | undefined;
  /** The file of each scenario, by its name. */
  readonly #files: Map<string, string>;

  /** @throws UsageError when the directory can't be used, or has a file that is no scenario */
  constructor(directory: string | undefined) {
    this.#directory = directory;
    if (directory !== undefined) createFolder(directory);
    const files = directory === undefined ? [] : readdirSync(directory).filter((name) => name.endsWith('.json'));
    const read = files
      .sort()
      .map((name) => join(directory ?? '', name))
      .map((path) => ({ path, data: scenarioFile(path) }));
    const size = (data: ScenarioData): number => JSON.stringify(data).length;
    this.scenarios = read.map(({ data }) => data).toSorted((a, b) => size(a) - size(b));
    this.#files = new Map(read.map(({ path, data }) => [data.name, path]));
    const twice = read.find(({ path, data }) => this.#files.get(data.name) !== path);
    if (twice !== undefined)
      throw new UsageError(
        `${twice.path} and ${this.#files.get(twice.data.name)} have scenarios of the same name, "${twice.data.name}": change the name in one of them, or remove it`,
      );
  }

  keep(data: ScenarioData): void {
    if (this.#directory === undefined || this.#files.has(data.name)) return;
    const path = join(this.#directory, `${data.name}.json`);
    this.#files.set(data.name, path);
    writeFileSync(path, formatScenario(data));
  }

  /** How many scenarios it has. */
  get size(): number {
    return this.#files.size;
  }

  /** Removes the files of these scenarios. @throws UsageError when one can't be removed */
  remove(names: ReadonlySet<string>): void {
    for (const name of names) {
      const path = this.#files.get(name);
      if (path === undefined) continue;
      try {
        rmSync(path, { force: true });
      } catch (error) {
        throw new UsageError(`--max-corpus: ${path} can't be removed: ${error instanceof Error ? error.message : String(error)}`);
      }
      this.#files.delete(name);
    }
  }
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`--corpus ${path} can't be created: ${error instanceof Error ? error.message : String(error)}`);
  }
}

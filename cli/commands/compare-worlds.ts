import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compareWorlds, comparisonSchema, readWorldTrial } from '../../fidelity/compare-worlds.ts';
import type { Comparison, WorldRun } from '../../fidelity/compare-worlds.ts';
import { HistoryError, readHistory } from '../../history/reader.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { AGREED_DIFFERENCES } from '../../fidelity/agreed-differences.ts';
import type { WORLDS } from '../choose-world.ts';
import { formatComparison } from '../comparison-table.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import type { ProvidedWorld } from '../world-host.ts';
import { readRunFacts } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { run } from './run.ts';
import type { RunOptions } from './run.ts';

/** Options of both runs of a comparison; the others say where they run and what they write. */
export type ComparedOptions = Pick<RunOptions, 'suites' | 'scenarios' | 'target' | 'seed' | 'trials' | 'nodes'>;

/** Two existing runs, by their directories. */
export interface ComparedDirectories {
  readonly a: string;
  readonly b: string;
  /** Only these scenarios; all if there are none. */
  readonly scenarios: readonly string[];
}

/** `scaleproof compare-worlds RUN_A RUN_B`: from their histories alone. @returns the exit code */
export function compareRuns({ a, b, scenarios }: ComparedDirectories, { json }: { readonly json: boolean }, console: Console): number {
  const runs = [readRun(a, scenarios, console), readRun(b, scenarios, console)] as const;
  const worlds = runs.map(({ world }) => world);
  // The agreed differences are between a real cluster and the embedded world.
  const isAcross = worlds.includes('embedded') && worlds.some((world) => world !== 'embedded');
  const comparison = compareWorlds(runs[0], runs[1], isAcross ? AGREED_DIFFERENCES : []);
  if (json) console.out(`${JSON.stringify(comparisonSchema.parse(comparison), undefined, 2)}\n`);
  else console.out(formatComparison(comparison, { color: console.color, columns: console.columns }));
  return CODES[comparison.outcome];
}

const CODES: Readonly<Record<Comparison['outcome'], number>> = { agree: EXIT.pass, differ: EXIT.fail, unknown: EXIT.unknown };

/**
 * `scaleproof compare-worlds --world kind|existing`: runs the same trials in the embedded world, with the machines of a real
 * cluster, and then in that cluster, and compares them.
 * @param out holds both run directories: `embedded`, and that of the world's name
 * @returns the exit code
 */
export async function runAndCompare(
  options: ComparedOptions,
  real: ProvidedWorld & { readonly name: Exclude<(typeof WORLDS)[number], 'embedded'> },
  { out, json }: { readonly out: string | undefined; readonly json: boolean },
  console: Console,
): Promise<number> {
  const directory = out === undefined ? newDirectory() : resolve(out);
  const { name, ...where } = real;
  // The user asked for the comparison, not for the reports of the two runs.
  const quiet: Console = { ...console, out: () => undefined };
  const common = { ...options, manifests: undefined, workers: undefined, json: false };
  const places: readonly (readonly [string, ProvidedWorld])[] = [
    ['embedded', { world: { kind: 'embedded', machines: 'quick' } }],
    [name, where],
  ];
  const interrupted = interruption();
  try {
    for (const [world, place] of places) {
      console.err(`${world}:\n`);
      await run({ ...common, ...place, out: join(directory, world) }, quiet);
      if (interrupted.signal.aborted) return EXIT.unknown;
    }
  } finally {
    interrupted.release();
  }
  console.err('\n');
  return compareRuns({ a: join(directory, 'embedded'), b: join(directory, name), scenarios: [] }, { json }, console);
}

function newDirectory(): string {
  const now = new Date(createRealTimeline().scope('command').nowMs()).toISOString();
  return resolve('runs', `compare-${now.replaceAll(/[:T]/g, '-').replace(/\..*$/, '')}`);
}

/** @throws UsageError if it is not a run directory, or one of its histories is damaged */
function readRun(directory: string, scenarios: readonly string[], console: Console): WorldRun & { readonly world: string } {
  const { world, planned, notRun } = readRunFacts(directory);
  const isChosen = ({ scenario }: { readonly scenario: string }): boolean => scenarios.length === 0 || scenarios.includes(scenario);
  for (const { scenario, seed, reason } of notRun.filter(isChosen))
    console.err(`${directory}: ${scenario} with seed ${seed} was not run: ${reason}\n`);
  const chosen = planned.filter(isChosen).filter(({ history }) => existsSync(join(directory, history)));
  const trials = chosen.flatMap(({ history }) => {
    try {
      return readWorldTrial(readHistory(join(directory, history))) ?? [];
    } catch (error) {
      if (error instanceof HistoryError) throw new UsageError(error.message);
      throw error;
    }
  });
  return { name: directory, world: world.name, trials };
}

import { loadTarget } from '../harness/load.ts';
import { defined } from '../model/defined.ts';
import { formatCount } from '../reports/format.ts';
import { createPaint, printable } from '../reports/paint.ts';
import type { Console } from './console.ts';
import { layOutEntries } from './entries.ts';
import type { Entry } from './entries.ts';
import { crashPointsOf, planRun } from './plan-run.ts';
import type { Plan, TrialChoice } from './plan-run.ts';
import { EXIT } from './usage-error.ts';

/** One scenario of a plan. */
interface ListedScenario {
  readonly id: string;
  readonly title: string;
  readonly suite: string;
  readonly profile: string;
  readonly seeds: readonly number[];
  /** Why it is not run with this target; absent if it is. */
  readonly notRun?: string;
  /** Whether the target is also killed at each of its side effects. */
  readonly crashPoints: boolean;
}

/**
 * Prints the trials that a run would have. Nothing is run, built or written.
 * @returns the exit code
 * @throws UsageError for a shard without trials
 */
export async function listTrials(options: TrialChoice & { readonly json: boolean }, console: Console): Promise<number> {
  const plan = await planRun(options, await loadTarget(options.target.ref));
  const rows = options.chosen.flatMap(({ scenario, suite }): ListedScenario[] => {
    const { id, title, profile } = scenario;
    const left = plan.notRun.filter((one) => one.scenario === id);
    const seeds = [...plan.trials.filter((trial) => trial.scenario.id === id), ...left].map(({ seed }) => seed);
    // It may be in another shard.
    if (seeds.length === 0) return [];
    const crashPoints = crashPointsOf(plan, id);
    const hasCrashes = crashPoints !== undefined && crashPoints.leftOut === undefined;
    return [{ id, title, suite, profile, seeds, ...defined({ notRun: left[0]?.reason }), crashPoints: hasCrashes }];
  });
  if (options.json) console.out(`${JSON.stringify(rows, undefined, 2)}\n`);
  else
    console.out(
      layOutEntries(rows.map(entryOf), [totalsOf(rows, plan, options.target.label)], {
        columns: console.columns,
        paint: createPaint(console.color),
      }),
    );
  return EXIT.pass;
}

function entryOf({ id, title, seeds, notRun, crashPoints }: ListedScenario): Entry {
  const what = notRun === undefined ? `${seedsInWords(seeds)}${crashPoints ? ', and crash points' : ''}` : `not run: ${notRun}`;
  return { name: printable(id), text: printable(title), notes: [{ text: printable(what) }] };
}

/** `seed 1`, `seeds 1-20`, `seeds 1, 5, 9` */
function seedsInWords(seeds: readonly number[]): string {
  const [first, last] = [seeds[0] ?? 0, seeds.at(-1) ?? 0];
  if (seeds.length === 1) return `seed ${first}`;
  return `seeds ${last - first === seeds.length - 1 ? `${first}-${last}` : seeds.join(', ')}`;
}

function totalsOf(rows: readonly ListedScenario[], { trials }: Plan, target: string): string {
  const left = rows.filter(({ notRun }) => notRun !== undefined).length;
  const crashed = rows.some(({ crashPoints }) => crashPoints) ? ', and crash points, which are counted during the run' : '';
  const what = `${formatCount(trials.length, 'trial')} of ${formatCount(rows.length - left, 'scenario')} with ${target}${crashed}`;
  return printable(`${what}${left === 0 ? '' : `; ${formatCount(left, 'scenario')} not run`}. Nothing was run.`);
}

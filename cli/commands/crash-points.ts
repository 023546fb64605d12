import { formatCrashPoints } from '../../reports/terminal-crash-points.ts';
import { loadTarget } from '../../harness/load.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import { chooseScenarios, chooseTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../usage-error.ts';
import { printReportPath } from '../write-reports.ts';
import { runChosen } from './run.ts';

/** The flags of `crash-points`, parsed. */
interface CrashPointsOptions {
  readonly scenario: string;
  readonly target: string;
  readonly seed: number;
  readonly out: string | undefined;
  readonly workers: number | undefined;
  readonly json: boolean;
}

/**
 * `scaleproof crash-points --scenario ID`: runs a scenario once to count the target's side effects, and then twice for each
 * of them, with the target killed before and after the side effect.
 * @returns the exit code
 */
export async function crashPoints({ scenario, target, ...rest }: CrashPointsOptions, console: Console): Promise<number> {
  const [chosen, ...more] = await chooseScenarios({ suites: [], scenarios: [scenario] });
  if (chosen === undefined || more.length > 0)
    throw new UsageError(`${scenario} is ${more.length + 1} scenarios, but crash-points takes one: name a file that exports one`);
  const choice = chooseTarget(target);
  const { features } = await loadTarget(choice.ref);
  const missing = chosen.scenario.needs.features.filter((feature) => !features.includes(feature));
  if (missing.length > 0) throw new UsageError(`target ${target} does not have the feature ${missing.join(', ')}, which ${scenario} needs`);
  const what = { chosen: [chosen], target: choice, trials: 1, nodes: DEFAULT_NODES, world: undefined, crashPoints: { of: 'all' } as const };
  return runChosen({ ...what, ...rest }, console, (report, directory) => {
    console.out(formatCrashPoints(report, { color: console.color, columns: console.columns }));
    printReportPath(directory, console);
  });
}

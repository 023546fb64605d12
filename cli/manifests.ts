import { statSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { loadTarget, scenariosOf } from '../harness/load.ts';
import type { Mix } from '../manifests/mix.ts';
import type * as Scenarios from '../manifests/scenarios.ts';
import { isPath } from '../model/paths.ts';
import { SERVABILITY_WORDS } from '../model/servability.ts';
import type { ManifestsFacts } from '../reports/report-input.ts';
import { MANIFESTS_SUITE } from '../manifests/theme.ts';
import { DEFAULT_NODES } from '../harness/trial-spec.ts';
import { chooseScenarios, isChosen } from './choose.ts';
import type { ChosenScenario, ChosenTarget, ScenarioChoice } from './choose.ts';
import type { Console } from './console.ts';
import { UsageError } from './usage-error.ts';

/** The scenarios that a command runs. */
export interface Selection {
  readonly chosen: readonly ChosenScenario[];
  /** Nodes that they need at least, which bounds depend on. */
  readonly nodes: number;
  /** Absent unless the scenarios are made from manifests. */
  readonly manifests?: Omit<ManifestsFacts, 'strict'>;
}

/**
 * The scenarios made from a directory of manifests if one is given or named (`./deploy#manifests/no-spot`), else those of suites and
 * files.
 * @param targets on which they run
 * @param console gets what the manifests contain
 * @throws UsageError for unknown names, and if nothing is selected
 * @throws LoadError for manifests that the API server would reject
 */
export async function selectScenarios(
  given: ScenarioChoice & { readonly manifests: string | undefined },
  targets: readonly ChosenTarget[],
  console?: Console,
): Promise<Selection> {
  const { manifests, ...choice } = given.manifests === undefined ? overManifests(given) : given;
  const selection =
    manifests === undefined
      ? { chosen: await chooseScenarios(choice), nodes: DEFAULT_NODES }
      : await chooseManifests(manifests, choice, targets, console);
  if (selection.chosen.length === 0) throw new UsageError('these flags select no scenario');
  return selection;
}

/** Names such as `./deploy#manifests/no-spot` as a directory and ids; anything else is returned unchanged. */
function overManifests(choice: ScenarioChoice): ScenarioChoice & { readonly manifests: string | undefined } {
  const named = choice.scenarios.map((name) => {
    const [path = '', id] = name.split('#');
    return { name, path, id, isOver: id !== undefined && isPath(name) && isManifests(path) };
  });
  const first = named.find(({ isOver }) => isOver);
  if (first === undefined) return { ...choice, manifests: undefined };
  const other = named.find(({ isOver, path }) => !isOver || path !== first.path);
  if (other !== undefined)
    throw new UsageError(`${first.name} is over manifests, so ${other.name} can't run beside it; choose one of them`);
  return { ...choice, scenarios: named.map(({ id = '' }) => id), manifests: first.path };
}

/**
 * The scenarios made from a directory of manifests. Prints what the manifests contain.
 * @param options.scenarios ids of the scenarios to choose; all if empty. Patterns have to match, too
 * @param targets on which they run: classes are applied if all of them do that, since they have to run the same
 * @throws LoadError for manifests that the API server would reject
 */
export async function chooseManifests(
  directory: string,
  options: ScenarioChoice,
  targets: readonly ChosenTarget[],
  console?: Console,
): Promise<Selection> {
  const { suites, profiles = [], scenarios: ids } = options;
  if (directory === '') throw new UsageError('--manifests needs a directory, but the name is empty');
  if (suites.length > 0 || profiles.length > 0) {
    throw new UsageError('--manifests runs only the scenarios over manifests; leave out --suite and --profile');
  }
  const url = new URL(`../manifests/scenarios${extname(import.meta.url)}`, import.meta.url);
  url.searchParams.set('dir', resolve(directory));
  if (await applyClasses(targets)) url.searchParams.set('classes', 'applied');
  const { mix } = (await import(url.href)) as typeof Scenarios;
  if (console !== undefined) printMix(directory, mix, console);
  const found = (await scenariosOf(url.href)).map(({ ref, scenario }): ChosenScenario => {
    return { ref, scenario, suite: MANIFESTS_SUITE, label: `${asPath(directory)}#${scenario.id}` };
  });
  const names = found.map(({ scenario }) => scenario.id);
  for (const id of ids) {
    if (!names.includes(id)) throw new UsageError(`no scenario over manifests is named "${id}"; there are: ${names.join(', ')}`);
  }
  const chosen = found.filter(({ scenario }) => (ids.length === 0 || ids.includes(scenario.id)) && isChosen(scenario, options));
  return { chosen, nodes: Math.max(DEFAULT_NODES, mix.nodes), manifests: factsOf(directory, mix) };
}

async function applyClasses(targets: readonly ChosenTarget[]): Promise<boolean> {
  const loaded = await Promise.all(targets.map(({ ref }) => loadTarget(ref)));
  return loaded.length > 0 && loaded.every(({ features }) => features.includes('node-classes'));
}

function factsOf(directory: string, { workloads }: Mix): Required<Selection>['manifests'] {
  const gaps = workloads.flatMap(({ title, where, feasibility, scaling }) => {
    if (feasibility.kind !== 'servable') return [{ workload: title, where, kind: feasibility.kind, why: feasibility.why }];
    if (scaling === undefined || scaling.peak.kind === 'servable') return [];
    return [{ workload: `${title} with ${scaling.max} pods, its maxReplicas`, where, kind: scaling.peak.kind, why: scaling.peak.why }];
  });
  return { directory: asPath(directory), workloads: workloads.length, gaps };
}

/** Whether a path that a replay line names is a directory of manifests. */
export function isManifests(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The form for a replay line, which distinguishes a path from a name. */
function asPath(directory: string): string {
  const path = directory.replace(/(?<=.)\/+$/, '');
  return isAbsolute(path) || path.startsWith('.') ? path : `./${path}`;
}

function printMix(directory: string, mix: Mix, console: Console): void {
  const { pools, workloads, companions, notes } = mix;
  const lines = [
    `manifests of ${directory}: ${pools.length} node pools, ${workloads.length} workloads, ${companions.length} other objects`,
    ...notes.map((note) => `  note: ${note}`),
    ...factsOf(directory, mix).gaps.flatMap(({ workload, where, kind, why }) => [
      `  ${workload}: ${SERVABILITY_WORDS[kind]}`,
      `    ${why}`,
      `    (${where})`,
    ]),
  ];
  console.err(`${lines.join('\n')}\n\n`);
}

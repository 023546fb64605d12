import { statSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { SOURCES_DIRECTORY, loadTarget, scenariosOf } from '../harness/load.ts';
import type { Mix } from '../manifests/mix.ts';
import type * as Scenarios from '../manifests/scenarios.ts';
import { isPath } from '../model/paths.ts';
import { SERVABILITY_WORDS } from '../model/servability.ts';
import { formatCount } from '../reports/format.ts';
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
  const { manifests, isApplied, ...choice } = given.manifests === undefined ? overManifests(given) : { ...given, isApplied: false };
  const selection =
    manifests === undefined
      ? { chosen: await chooseScenarios(choice), nodes: DEFAULT_NODES }
      : await chooseManifests(manifests, choice, isApplied ? { applied: true } : await classUseOf(targets), console);
  if (selection.chosen.length === 0) throw new UsageError('these flags select no scenario');
  return selection;
}

/** Names such as `./deploy#manifests/no-spot` as a directory and ids; anything else is returned unchanged. */
function overManifests(choice: ScenarioChoice): ScenarioChoice & { readonly manifests: string | undefined; readonly isApplied: boolean } {
  const named = choice.scenarios.map((name) => ({ name, over: manifestsNamed(name) }));
  const first = named.find(({ over }) => over !== undefined);
  if (first?.over === undefined) return { ...choice, manifests: undefined, isApplied: false };
  const { directory, isApplied } = first.over;
  const other = named.find(({ over }) => over?.directory !== directory || over.isApplied !== isApplied);
  if (other !== undefined)
    throw new UsageError(`${first.name} is over manifests, so ${other.name} can't run beside it; choose one of them`);
  return { ...choice, scenarios: named.map(({ over }) => over?.id ?? ''), manifests: directory, isApplied };
}

/** Follows the directory in a scenario's name if classes are applied. */
const APPLIED = '?classes=applied';

/** A scenario over manifests. */
interface NamedManifests {
  readonly directory: string;
  readonly id: string;
  /** Whether the name says that classes are applied. */
  readonly isApplied: boolean;
}

/** Takes apart a name such as `./deploy#manifests/no-spot` or `./deploy?classes=applied#manifests/no-spot`; undefined for others. */
export function manifestsNamed(name: string): NamedManifests | undefined {
  const at = name.lastIndexOf('#');
  if (at === -1 || !isPath(name)) return undefined;
  const path = name.slice(0, at);
  const isApplied = path.endsWith(APPLIED);
  const directory = isApplied ? path.slice(0, -APPLIED.length) : path;
  const isDirectory = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory ? { directory, id: name.slice(at + 1), isApplied } : undefined;
}

/** Whether the EC2NodeClasses of manifests are applied. */
export interface ClassUse {
  readonly applied: boolean;
  /** Why they are ignored. */
  readonly why?: string;
}

/**
 * The scenarios made from a directory of manifests. Prints what the manifests contain.
 * @param options.scenarios ids of the scenarios to choose; all if empty. Patterns have to match, too
 * @throws LoadError for manifests that the API server would reject
 */
export async function chooseManifests(
  directory: string,
  options: ScenarioChoice,
  { applied, why }: ClassUse,
  console?: Console,
): Promise<Selection> {
  const { suites, profiles = [], scenarios: ids } = options;
  if (directory === '') throw new UsageError('--manifests needs a directory, but the name is empty');
  if (suites.length > 0 || profiles.length > 0) {
    throw new UsageError('--manifests runs only the scenarios over manifests; leave out --suite and --profile');
  }
  const url = new URL(`../manifests/scenarios${extname(import.meta.url)}`, import.meta.url);
  url.searchParams.set(SOURCES_DIRECTORY, resolve(directory));
  if (applied) url.searchParams.set('classes', 'applied');
  const { mix } = (await import(url.href)) as typeof Scenarios;
  if (console !== undefined) printMix(directory, why === undefined ? mix : withReason(mix, why), console);
  const found = (await scenariosOf(url.href)).map(({ ref, scenario }): ChosenScenario => {
    return { ref, scenario, suite: MANIFESTS_SUITE, label: `${asPath(directory)}${applied ? APPLIED : ''}#${scenario.id}` };
  });
  const names = found.map(({ scenario }) => scenario.id);
  for (const id of ids) {
    if (!names.includes(id)) throw new UsageError(`no scenario over manifests is named "${id}"; there are: ${names.join(', ')}`);
  }
  const chosen = found.filter(({ scenario }) => (ids.length === 0 || ids.includes(scenario.id)) && isChosen(scenario, options));
  return { chosen, nodes: Math.max(DEFAULT_NODES, mix.nodes), manifests: factsOf(directory, mix) };
}

/** Classes are applied if all targets do that, since they have to run the same. */
export async function classUseOf(targets: readonly ChosenTarget[]): Promise<ClassUse> {
  const loaded = await Promise.all(targets.map(({ ref }) => loadTarget(ref)));
  const labels = (applied: boolean): string[] =>
    targets.flatMap(({ label }, index) => (loaded[index]?.features.includes('node-classes') === applied ? [label] : []));
  const [applying, others] = [labels(true), [...new Set(labels(false))]];
  if (others.length === 0) return { applied: applying.length > 0 };
  const rest =
    applying.length > 0
      ? ', and all sides have to run the same'
      : '; targets with the feature node-classes apply them, such as karpenter@VERSION';
  return { applied: false, why: `${others.join(' and ')} ${others.length === 1 ? 'does' : 'do'} not apply classes${rest}` };
}

/** Adds why classes are ignored. */
function withReason(mix: Mix, why: string): Mix {
  return mix.ignoresClasses ? { ...mix, notes: [...mix.notes, `EC2NodeClasses are ignored, since ${why}`] } : mix;
}

function factsOf(directory: string, { workloads }: Mix): Required<Selection>['manifests'] {
  const gaps = workloads.flatMap(({ title, kind: what, replicas, where, feasibility, scaling, doubt }) => {
    // Nothing has to be served, e.g. of a suspended CronJob.
    if (replicas === 0 && what !== 'DaemonSet') return [];
    if (feasibility.kind !== 'servable') return [{ workload: title, where, kind: feasibility.kind, why: feasibility.why }];
    if (doubt !== undefined) return [{ workload: title, where, ...doubt }];
    if (scaling === undefined || scaling.peak.kind === 'servable') return [];
    return [{ workload: `${title} with ${scaling.max} pods, its maxReplicas`, where, kind: scaling.peak.kind, why: scaling.peak.why }];
  });
  return { directory: asPath(directory), workloads: workloads.length, gaps };
}

/** The form for a replay line, which distinguishes a path from a name. */
function asPath(directory: string): string {
  const path = directory.replace(/(?<=.)\/+$/, '');
  return isAbsolute(path) || path.startsWith('.') ? path : `./${path}`;
}

function printMix(directory: string, mix: Mix, console: Console): void {
  const { pools, workloads, companions, notes } = mix;
  const lines = [
    `manifests of ${directory}: ${formatCount(pools.length, 'node pool')}, ${formatCount(workloads.length, 'workload')}, ${formatCount(companions.length, 'other object')}`,
    ...notes.map((note) => `  note: ${note}`),
    ...factsOf(directory, mix).gaps.flatMap(({ workload, where, kind, why }) => [
      `  ${workload}: ${SERVABILITY_WORDS[kind]}`,
      `    ${why}`,
      `    (${where})`,
    ]),
  ];
  console.err(`${lines.join('\n')}\n\n`);
}

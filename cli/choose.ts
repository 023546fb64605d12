import { GENERATED_SUITE } from '../explore/generated.ts';
import { generatedSource } from '../explore/trials.ts';
import { scenariosOf } from '../harness/load.ts';
import type { TargetRef } from '../harness/load.ts';
import type { TrialSource } from '../harness/run.ts';
import { rehearseInThread } from '../harness/rehearse.ts';
import { mistakeIn } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { LABEL } from '../model/kube.ts';
import { nearest } from '../model/nearest.ts';
import type { Profile } from '../history/events.ts';
import { allSources, sources, suites } from '../suites/catalogue.ts';
import { specification } from '../suites/specification/catalogue.ts';
import { UnknownTargetError, targetCatalogue, targetNamed } from '../targets/catalogue.ts';
import { isPath } from '../model/paths.ts';
import { scenarioFile } from './explore/files.ts';
import { UsageError } from './usage-error.ts';
import { userFileUrl } from './user-file.ts';
import { currentScenarioId, scenariosOfFormerSuite, currentTargetName } from '../model/former-names.ts';

/** A scenario as the source of trials. `scenario` decides whether it can be run. */
export type ChosenScenario = TrialSource & { readonly scenario: Scenario };

/** A target that the user named. */
export interface ChosenTarget {
  readonly ref: TargetRef;
  readonly label: string;
}

/** A user's suite. */
export const USER_SUITE = 'user';

/** What the user named; a list is empty if the user named none. */
export interface ScenarioChoice {
  readonly suites: readonly string[];
  readonly profiles?: readonly Profile[];
  readonly scenarios: readonly string[];
  /** Only scenarios whose id or title matches this: one text, as in `suite/name the title`. */
  readonly grep?: RegExp | undefined;
  /** Only scenarios where neither id nor title matches this. */
  readonly grepInvert?: RegExp | undefined;
}

/**
 * All scenarios, or those that the user named: by suite, by profile, by id, by file, by a pattern. Whatever is given has to match.
 * @throws UsageError for unknown names
 */
export async function chooseScenarios(choice: ScenarioChoice): Promise<ChosenScenario[]> {
  if (choice.scenarios.length === 0) return bundledScenarios(choice);
  const named = await scenariosNamed(choice);
  return named.filter(({ scenario }) => isChosen(scenario, choice));
}

/** Whether a scenario is of the chosen profiles, and its id and title match the patterns. */
export function isChosen(
  { id, title, profile }: Pick<Scenario, 'id' | 'title' | 'profile'>,
  { profiles = [], grep, grepInvert }: Omit<ScenarioChoice, 'suites' | 'scenarios'>,
): boolean {
  const text = `${id} ${title}`;
  return (profiles.length === 0 || profiles.includes(profile)) && grep?.test(text) !== false && grepInvert?.test(text) !== true;
}

/**
 * All bundled scenarios of these suites and profiles that match the patterns. Those of the profile endurance only if that profile, or a
 * suite, is named. @throws UsageError for an unknown suite
 */
export function bundledScenarios(choice: Omit<ScenarioChoice, 'scenarios'>): ChosenScenario[] {
  const { suites: named, profiles = [] } = choice;
  refuseUnknownSuites(named);
  const candidates = named.length > 0 || profiles.length > 0 ? allSources : sources;
  return candidates.filter(({ scenario }) => isChosen(scenario, choice)).filter(isInSuites(named));
}

/** A bundled scenario by its id. @throws UsageError if it does not exist */
export function bundledScenario(id: string): ChosenScenario {
  const current = currentScenarioId(id);
  const found = allSources.find(({ scenario }) => scenario.id === current);
  if (found !== undefined) return found;
  const ids = allSources.map(({ scenario }) => scenario.id);
  throw new UsageError(unknown('scenario', id, ids));
}

/** Whether it is in one of these suites, or was before they were renamed; with none, all are. */
function isInSuites(names: readonly string[]): (chosen: Pick<ChosenScenario, 'suite' | 'scenario'>) => boolean {
  const former = new Set(names.flatMap(scenariosOfFormerSuite));
  return ({ suite, scenario }) => names.length === 0 || names.includes(suite) || former.has(scenario.id);
}

function refuseUnknownSuites(names: readonly string[]): void {
  const known = suites.map(({ name }) => name);
  for (const name of names) {
    if (!known.includes(name) && scenariosOfFormerSuite(name).length === 0)
      throw new UsageError(`no suite is named "${name}"; there are: ${known.join(', ')}`);
  }
}

async function scenariosNamed(options: Pick<ScenarioChoice, 'suites' | 'scenarios'>): Promise<ChosenScenario[]> {
  refuseUnknownSuites(options.suites);
  const chosen: ChosenScenario[] = [];
  for (const name of options.scenarios) {
    if (isPath(name) && name.endsWith('.json')) chosen.push(scenarioInFile(name));
    else if (isPath(name)) {
      const found = await scenariosOf(userFileUrl(name, 'scenario'));
      for (const { scenario } of found) {
        refuseUnknownRequirements(scenario);
        refuseUnknownTypes(scenario);
      }
      const mistake = await rehearseInThread(found.map(({ ref }) => ref));
      if (mistake !== undefined) throw new UsageError(mistake);
      for (const { ref, scenario } of found) {
        chosen.push({ ref, scenario, suite: USER_SUITE, label: `${name}#${ref.export}` });
      }
    } else chosen.push(bundledScenario(name));
  }
  // A scenario named twice runs once.
  const once = chosen.filter(({ label }, index) => chosen.findIndex((other) => other.label === label) === index);
  refuseSharedIds(once);
  return once.filter(
    ({ suite, scenario }) => suite === USER_SUITE || suite === GENERATED_SUITE || isInSuites(options.suites)({ suite, scenario }),
  );
}

/** A scenario that is data, as the explorer writes it. @throws UsageError that names the file and the field */
export function scenarioInFile(path: string): ChosenScenario {
  return generatedSource(scenarioFile(path), path);
}

/** @throws UsageError for an id that is not in the specification: nothing would be counted as tested */
function refuseUnknownRequirements(scenario: Scenario): void {
  const known = specification.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  const unknown = scenario.requirements.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const meant = near === undefined ? '' : `did you mean \`${near}\`? `;
  const what = `\`requirements\`: there is no requirement ${unknown}; ${meant}\`scaleproof list requirements\` shows them all`;
  throw new UsageError(mistakeIn(scenario, what).message);
}

/** @throws UsageError for an instance type that does not exist: the pool would silently offer less, or nothing */
function refuseUnknownTypes(scenario: Scenario): void {
  const known = loadCatalogue().types;
  for (const { name, requirements } of scenario.pools) {
    const named = requirements.filter(({ key, operator }) => key === LABEL.instanceType && operator === 'In');
    const unknown = named.flatMap(({ values = [] }) => values).find((type) => !known.has(type));
    if (unknown === undefined) continue;
    const near = nearest(unknown, [...known.keys()]);
    const meant = near === undefined ? '' : `; did you mean \`${near}\`?`;
    throw new UsageError(mistakeIn(scenario, `pool "${name}": there is no instance type ${unknown} in us-east-1${meant}`).message);
  }
}

/** Two scenarios with one id can't be distinguished, neither in the report nor by the files of their histories. */
function refuseSharedIds(chosen: readonly ChosenScenario[]): void {
  const owners = new Map<string, ChosenScenario>();
  for (const one of chosen) {
    const { id, title } = one.scenario;
    const other = owners.get(id);
    if (other !== undefined)
      throw new UsageError(`two scenarios have the id "${id}": "${other.scenario.title}" and "${title}"; give one of them another id`);
    owners.set(id, one);
  }
}

/**
 * A target by its name or file: `./file` for its default export, `./file#name` for another, `./file.yaml` for a program. `A+B` means
 * two targets of the catalogue in one cluster, `A..B` one that is replaced by the other.
 * @throws UsageError for unknown names, and for two targets that can't be combined
 */
export function chooseTarget(name: string): ChosenTarget {
  if (isPath(name) && /\.ya?ml$/.test(name)) return { ref: { file: userFileUrl(name, 'target') }, label: name };
  if (isPath(name)) {
    const [path = name, exported = 'default'] = name.split('#');
    return { ref: { module: userFileUrl(path, 'target'), export: exported }, label: name };
  }
  try {
    targetNamed(name);
  } catch (error) {
    const names = targetCatalogue.map((target) => target.name);
    if (error instanceof UnknownTargetError) throw new UsageError(unknown('target', error.target, names));
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const current = currentTargetName(name);
  return { ref: { name: current }, label: current };
}

function unknown(what: string, name: string, names: readonly string[]): string {
  const close =
    name === '' ? [] : names.filter((candidate) => candidate.includes(name) || name.includes(candidate.split('/').at(-1) ?? candidate));
  const meant = close.length > 0 ? close.join(' or ') : nearest(name, names);
  const hint = meant === undefined ? `\`scaleproof list ${what}s\` shows them all.` : `did you mean ${meant}?`;
  return `no ${what} is named "${name}"; ${hint} Name a file of your own by its path, starting with ./`;
}

import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FullConfig } from '@playwright/test';
import { USER_SUITE, bundledScenario, chooseTarget } from '../cli/choose.ts';
import type { ChosenScenario, ChosenTarget } from '../cli/choose.ts';
import { scenariosOf } from '../harness/load.ts';
import { labelOf } from '../harness/run.ts';
import type { Scenario } from '../harness/scenario.ts';
import { isPath } from '../model/paths.ts';

/**
 * The target that an option names. Paths are relative to the folder of Playwright's configuration, not to the working directory.
 * @throws Error if no target is set; UsageError for an unknown one
 */
export function targetOf(name: string | undefined, { configFile, rootDir }: Pick<FullConfig, 'configFile' | 'rootDir'>): ChosenTarget {
  if (name === undefined || name === '')
    throw new Error("no target is set: set one in playwright.config.ts, use: { target: './autoscaler.yaml' }, or with test.use()");
  if (!isPath(name)) return chooseTarget(name);
  const path = relative('.', resolve(configFile === undefined ? rootDir : dirname(configFile), name)).replaceAll('\\', '/');
  return chooseTarget(path.startsWith('.') ? path : `./${path}`);
}

/**
 * The source that trials of a scenario are planned from.
 * @param scenario the id of a bundled scenario, or the user's own scenario
 * @throws UsageError for an unknown id; LoadError for a module that can't be loaded; Error for a scenario that its module does not export
 */
export async function sourceOf(scenario: string | Scenario): Promise<ChosenScenario> {
  if (typeof scenario === 'string') {
    if (isPath(scenario)) throw new Error(`runTrial("${scenario}"): import the scenario from that file and pass it instead of the path`);
    return bundledScenario(scenario);
  }
  const { id, module } = scenario;
  if (module === undefined)
    throw new Error(
      `the scenario ${id} has no \`module\`: add \`module: import.meta.url\` to it. A trial runs in a separate process, which loads the scenario from there`,
    );
  const found = (await scenariosOf(module)).find((one) => one.scenario.id === id);
  if (found === undefined)
    throw new Error(`${fileURLToPath(module)} exports no scenario with the id ${id}: export it, or correct its \`module\``);
  return { ...found, suite: USER_SUITE, label: labelOf(found.ref) };
}

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
 * The target that an option names. Paths begin at the folder of Playwright's configuration, wherever it is called.
 * @throws Error where none is named; UsageError for one that there is not
 */
export function targetOf(name: string | undefined, { configFile, rootDir }: Pick<FullConfig, 'configFile' | 'rootDir'>): ChosenTarget {
  if (name === undefined || name === '')
    throw new Error("there is no target: name one in playwright.config.ts, use: { target: './autoscaler.yaml' }, or by test.use()");
  if (!isPath(name)) return chooseTarget(name);
  const path = relative('.', resolve(configFile === undefined ? rootDir : dirname(configFile), name)).replaceAll('\\', '/');
  return chooseTarget(path.startsWith('.') ? path : `./${path}`);
}

/**
 * Where the trials of a scenario come from.
 * @param scenario the id of a bundled one, or one of the user's own
 * @throws UsageError for an id that there is not; LoadError for a module that can't be loaded; Error for one that no process could load
 */
export async function sourceOf(scenario: string | Scenario): Promise<ChosenScenario> {
  if (typeof scenario === 'string') {
    if (isPath(scenario))
      throw new Error(`runTrial("${scenario}"): import the scenario from that file and hand it over, in place of its path`);
    return bundledScenario(scenario);
  }
  const { id, module } = scenario;
  if (module === undefined)
    throw new Error(
      `the scenario ${id} does not say where it is: add \`module: import.meta.url\` to it. A trial runs in a process of its own, which loads it from there`,
    );
  const found = (await scenariosOf(module)).find((one) => one.scenario.id === id);
  if (found === undefined)
    throw new Error(`${fileURLToPath(module)} exports no scenario with the id ${id}: export it, or mend its \`module\``);
  return { ...found, suite: USER_SUITE, label: labelOf(found.ref) };
}

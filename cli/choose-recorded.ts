import { isPath } from '../model/paths.ts';
import { chooseScenarios } from './choose.ts';
import type { ChosenScenario, ChosenTarget } from './choose.ts';
import { chooseManifests, isManifests } from './manifests.ts';
import { UsageError } from './usage-error.ts';

/**
 * The scenario that a replay line names. A user's is named by its file and export, `./file.ts#name`, or by its directory of
 * manifests and id, `./dir#id`.
 * @param target on which it runs
 * @throws UsageError if it no longer exists
 */
export async function chooseRecorded(label: string, target: ChosenTarget): Promise<ChosenScenario> {
  const path = isPath(label) ? label.slice(0, label.lastIndexOf('#')) : label;
  const all = { suites: [], scenarios: [] };
  const chosen = await (isPath(label) && isManifests(path)
    ? chooseManifests(path, all, [target]).then((found) => found.chosen)
    : chooseScenarios({ ...all, scenarios: [path] }));
  const one = chosen.find((candidate) => candidate.label === label);
  if (one === undefined) throw new UsageError(`${path} no longer exports the scenario that the replay line names: ${label}`);
  return one;
}

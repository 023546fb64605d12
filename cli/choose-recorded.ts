import { isPath } from '../model/paths.ts';
import { chooseScenarios } from './choose.ts';
import type { ChosenScenario } from './choose.ts';
import { chooseManifests, manifestsNamed } from './manifests.ts';
import { UsageError } from './usage-error.ts';

/**
 * The scenario that a replay line names. A user's is named by its file and export, `./file.ts#name`, or by its directory of
 * manifests and id, `./dir#id`, one that is data by its file alone. Classes are applied if they were, whatever the target now is.
 * @throws UsageError if it no longer exists
 */
export async function chooseRecorded(label: string): Promise<ChosenScenario> {
  const path = isPath(label) ? label.replace(/#[^#]*$/, '') : label;
  const all = { suites: [], scenarios: [] };
  const named = manifestsNamed(label);
  const chosen = await (named === undefined
    ? chooseScenarios({ ...all, scenarios: [path] })
    : chooseManifests(named.directory, all, { applied: named.isApplied }).then((found) => found.chosen));
  const one = chosen.find((candidate) => candidate.label === label);
  if (one === undefined) throw new UsageError(`${path} no longer exports the scenario that the replay line names: ${label}`);
  return one;
}

import { readRunFacts } from '../run-directory.ts';
import { abilitiesOf } from './abilities.ts';
import type { NamedTarget, WhyUseless } from './run-targets.ts';

/**
 * A trial that not every side can run, or has, is not compared: nobody needs to run it.
 * @param directories the sides that are run directories
 * @throws what `loadTarget` throws
 */
export async function whyUselessFor(targets: readonly NamedTarget[], directories: readonly string[]): Promise<WhyUseless> {
  const ofTargets = await Promise.all(targets.map(async ({ target: { ref, label } }) => ({ label, ...(await abilitiesOf(ref)) })));
  const ofDirectories = directories.map((directory) => ({ directory, has: trialsIn(directory) }));
  return (scenario, seed) => {
    const unable = ofTargets.filter(({ whyNotRun }) => whyNotRun(scenario) !== undefined).map(({ label }) => `${label} can't run it`);
    const lacking = ofDirectories
      .filter(({ has }) => !has.has(`${scenario.id} ${seed}`))
      .map(({ directory }) => `${directory} has no such trial`);
    const reasons = new Set([...unable, ...lacking]);
    return reasons.size === 0 ? undefined : [...reasons].join('; ');
  };
}

function trialsIn(directory: string): ReadonlySet<string> {
  return new Set(
    readRunFacts(directory).planned.flatMap(({ scenario, seed, crash }) => (crash === undefined ? [`${scenario} ${seed}`] : [])),
  );
}

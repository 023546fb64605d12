import { sources, suites } from '../../suites/catalogue.ts';
import { coverage } from '../../suites/specification/coverage.ts';
import type { Unseen } from '../../gate/outcome.ts';

/**
 * Requirements without a scenario are left out: those about upgrades are tested with targets `FROM..TO`.
 * @param seen ids of the scenarios with a trial on both sides
 */
export function unseenBy(seen: ReadonlySet<string>): Unseen {
  const all = sources.map(({ scenario }) => scenario);
  const profilesOf = (scenarios: typeof all): Set<string> => new Set(scenarios.map(({ profile }) => profile));
  const looked = profilesOf(all.filter(({ id }) => seen.has(id)));
  return {
    of: all.length,
    scenarios: all.filter(({ id }) => !seen.has(id)).map(({ id }) => id),
    profiles: [...profilesOf(all)].filter((profile) => !looked.has(profile)),
    requirements: coverage(suites)
      .filter(({ scenarios }) => scenarios.length > 0 && !scenarios.some(({ id }) => seen.has(id)))
      .map(({ requirement }) => requirement.id),
  };
}

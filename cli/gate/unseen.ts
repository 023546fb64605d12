import { sources, suites } from '../../suites/catalogue.ts';
import { coverage } from '../../suites/specification/coverage.ts';
import { counted } from '../../gate/wording.ts';

/** What of the bundled suites a decision did not look at. */
export interface Unseen {
  /** Ids of scenarios. */
  readonly scenarios: readonly string[];
  /** Profiles of which no scenario was looked at. */
  readonly profiles: readonly string[];
  /** Ids of requirements that none of the scenarios tests. */
  readonly requirements: readonly string[];
}

/** Requirements that a note names; gate.json has them all. */
const MAX_NAMED = 8;

/** @param seen ids of the scenarios with a trial on both sides */
export function unseenBy(seen: ReadonlySet<string>): Unseen {
  const all = sources.map(({ scenario }) => scenario);
  const profilesOf = (scenarios: typeof all): Set<string> => new Set(scenarios.map(({ profile }) => profile));
  const looked = profilesOf(all.filter(({ id }) => seen.has(id)));
  return {
    scenarios: all.filter(({ id }) => !seen.has(id)).map(({ id }) => id),
    profiles: [...profilesOf(all)].filter((profile) => !looked.has(profile)),
    requirements: coverage(suites)
      .filter(({ scenarios }) => !scenarios.some(({ id }) => seen.has(id)))
      .map(({ requirement }) => requirement.id),
  };
}

/** A sentence, or none if everything was looked at. */
export function describeUnseen({ scenarios, profiles, requirements }: Unseen): string[] {
  if (scenarios.length === 0) return [];
  const whole = profiles.length === 0 ? '' : `; nothing of the ${profiles.length === 1 ? 'profile' : 'profiles'} ${profiles.join(' and ')}`;
  const named = requirements.slice(0, MAX_NAMED).join(', ');
  const more = requirements.length > MAX_NAMED ? ` and ${requirements.length - MAX_NAMED} more (gate.json)` : '';
  const untested = requirements.length === 0 ? '' : `; ${counted(requirements.length, 'requirement')} untested: ${named}${more}`;
  return [`not looked at: ${scenarios.length} of ${counted(sources.length, 'scenario')}${whole}${untested}`];
}

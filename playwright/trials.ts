import type { TestDetails } from '@playwright/test';
import { bundledScenario, bundledScenarios } from '../cli/choose.ts';
import type { Scenario } from '../harness/scenario.ts';
import type { Profile } from '../history/events.ts';
import type { RunTrial } from './fixtures.ts';

/** Which trials to run; without suites, profiles and scenarios all bundled scenarios. */
export interface TrialChoice {
  readonly suites?: readonly string[];
  readonly profiles?: readonly Profile[];
  /** Instead of all: ids, and your own scenarios. */
  readonly scenarios?: readonly (string | Scenario)[];
  /** One trial per seed; by default the option `seed`. */
  readonly seeds?: readonly number[];
}

/** A test that runs one trial. */
export interface TrialTest {
  readonly title: string;
  /** Its profile is its tag: `--grep @core`. */
  readonly details: TestDetails;
  readonly run: (fixtures: { readonly runTrial: RunTrial }) => Promise<void>;
}

/**
 * Creates a test for each scenario and seed. Declare them in your test file:
 * `for (const { title, details, run } of trials({ suites: ['capacity'], seeds: [1, 2] })) test(title, details, run);`
 * @throws UsageError for unknown names; Error if no scenario matches
 */
export function trials(choice: TrialChoice = {}): TrialTest[] {
  const chosen = chosenBy(choice);
  if (chosen.length === 0) throw new Error(`no scenario matches ${JSON.stringify({ suites: choice.suites, profiles: choice.profiles })}`);
  const seeds = choice.seeds ?? [undefined];
  return chosen.flatMap((one) => seeds.map((seed) => trialTest(one, seed)));
}

/** A scenario, and how the user named it. */
interface Chosen {
  readonly name: string | Scenario;
  readonly scenario: Scenario;
}

function chosenBy({ suites = [], profiles = [], scenarios }: TrialChoice): Chosen[] {
  if (scenarios === undefined) return bundledScenarios({ suites, profiles }).map(({ scenario }) => ({ name: scenario.id, scenario }));
  if (suites.length > 0) throw new Error('trials() takes suites or scenarios, not both: call it for each');
  const named = scenarios.map((name) => ({ name, scenario: typeof name === 'string' ? bundledScenario(name).scenario : name }));
  return named.filter(({ scenario }) => profiles.length === 0 || profiles.includes(scenario.profile));
}

function trialTest({ name, scenario }: Chosen, seed: number | undefined): TrialTest {
  return {
    title: `${scenario.id}: ${scenario.title}${seed === undefined ? '' : `, seed ${seed}`}`,
    details: { tag: `@${scenario.profile}` },
    run: async ({ runTrial }) => {
      await runTrial(name, seed === undefined ? {} : { seed });
    },
  };
}

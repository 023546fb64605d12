import { expect, test } from '@playwright/test';
import { sources } from '../../suites/catalogue.ts';
import { describeUnseen } from '../../gate/outcome.ts';
import { unseenBy } from './unseen.ts';

const idsOf = (...profiles: string[]): Set<string> =>
  new Set(sources.filter(({ scenario }) => profiles.includes(scenario.profile)).map(({ scenario }) => scenario.id));

test('of all scenarios nothing is unseen', () => {
  const unseen = unseenBy(idsOf('core', 'extended', 'robustness'));
  expect(unseen).toEqual({ of: sources.length, scenarios: [], profiles: [], requirements: [] });
  expect(describeUnseen(unseen, 'gate.json')).toEqual([]);
});

test('a gate on the core profile says which profiles and requirements it left out', () => {
  const unseen = unseenBy(idsOf('core'));
  expect(unseen.profiles).toEqual(['extended', 'robustness']);
  expect(unseen.requirements).toContain('SCH-11');
  expect(unseen.requirements).not.toContain('SCH-07');
  expect(unseen.scenarios).toContain('scheduling/negative-max-skew');
  const [sentence, ...more] = describeUnseen(unseen, 'gate.json');
  expect(more).toEqual([]);
  expect(sentence).toMatch(
    /^not covered: \d+ of \d+ scenarios; no scenario of profiles extended and robustness; \d+ requirements untested: .* and \d+ more/,
  );
});

test('a gate on scenarios of a user looked at none of ours', () => {
  expect(unseenBy(new Set(['mine/burst'])).scenarios).toHaveLength(sources.length);
});

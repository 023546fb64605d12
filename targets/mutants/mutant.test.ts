import { expect, test } from '@playwright/test';
import { checkCatalogue } from '../../checks/catalogue.ts';
import { suites } from '../../suites/catalogue.ts';
import { mutants } from './catalogue.ts';

const scenarios = suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => scenario.id));

for (const { target, caughtBy, resembles } of mutants) {
  test(`the declaration of ${target.name} is valid`, () => {
    expect(scenarios).toContain(caughtBy.scenario);
    const check = checkCatalogue.find(({ name }) => name === caughtBy.check);
    expect(Object.keys(check?.codes ?? {}), `codes of ${caughtBy.check}`).toContain(caughtBy.code);
    expect(caughtBy.object, 'kinds of objects, as findings name them').toMatch(
      /^((pods|instance|nodes|nodeclaims|ec2nodeclasses|launchtemplate)\/.|(ec2|sqs):[A-Z]|target$|world$)/,
    );
    expect(target.name).toMatch(/^mutant:[a-z0-9-]+$/);
    expect(resembles, 'names a public issue').toMatch(/#\d+/);
  });
}

test('mutants have unique names', () => {
  const names = mutants.map(({ target }) => target.name);
  expect(new Set(names).size).toBe(names.length);
});

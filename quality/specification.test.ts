import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { checkCatalogue } from '../checks/catalogue.ts';
import { resolveBounds } from '../harness/bounds.ts';
import type { Bound } from '../history/events.ts';
import { suites } from '../suites/catalogue.ts';
import { specification } from '../suites/specification/catalogue.ts';
import { coverage } from '../suites/specification/coverage.ts';
import { formatSpecification } from '../suites/specification/document.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { reference } from '../targets/reference.ts';
import { FEATURES } from '../targets/target.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { root } from './sources.ts';

const covered = coverage(suites);
const requirements = covered.map(({ requirement }) => requirement);
const scenarios = suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => scenario));

/** Of the bundled reference in the embedded world, for scenarios of ten nodes over nine offerings, as most are. */
const bounds: readonly Bound[] = Object.values(
  resolveBounds({ constants: reference.constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 }),
);

test('docs/specification.md is the one of the code', ({}, { config }) => {
  const path = join(root, 'docs', 'specification.md');
  const text = formatSpecification({ suites, checks: checkCatalogue, bounds });
  if (config.updateSnapshots === 'changed' || config.updateSnapshots === 'all') writeFileSync(path, text);
  const mend = 'it is out of date: run `npx playwright test quality/specification.test.ts --update-snapshots` and commit it';
  expect(readFileSync(path, 'utf8'), mend).toBe(text);
});

test('ids are unique, of their area, and numbered on', () => {
  const wrong = specification.flatMap(({ prefix, requirements: own }) =>
    own.flatMap(({ id }, index) => (id === `${prefix}-${String(index + 1).padStart(2, '0')}` ? [] : [id])),
  );
  expect(wrong).toEqual([]);
  expect(specification.filter(({ prefix }) => !/^[A-Z]{3}$/.test(prefix))).toEqual([]);
  for (const values of [specification.map(({ prefix }) => prefix), specification.map(({ name }) => name), requirements.map(({ id }) => id)])
    expect(new Set(values).size).toBe(values.length);
  expect(requirements.length).toBeGreaterThanOrEqual(60);
});

test('every requirement is a sentence, with reasons, of what there is', () => {
  const codes = new Map(checkCatalogue.map((check) => [check.name, Object.keys(check.codes)]));
  const wrong = requirements.flatMap(({ id, title, rationale, observed, breaches, bound, features, profile, incidents }) => {
    const named = Object.entries(breaches);
    return [
      ...[title, rationale].filter((text) => !/^["A-Z].*[.]$/.test(text)).map((text) => `${id}: no sentence: ${text}`),
      ...(/^[a-z].*[^.]$/.test(observed) ? [] : [`${id}: how it is observed begins small and ends without a stop: ${observed}`]),
      ...(named.length === 0 ? [`${id}: no finding is a breach of it`] : []),
      ...named.flatMap(([check, own]) =>
        own.filter((code) => codes.get(check)?.includes(code) !== true).map((code) => `${id}: there is no finding ${check}: ${code}`),
      ),
      ...(typeof bound === 'string' && !bounds.some(({ name }) => name === bound) ? [`${id}: there is no bound ${bound}`] : []),
      ...features.filter((feature) => !FEATURES.includes(feature)).map((feature) => `${id}: there is no feature ${feature}`),
      // Whoever declares nothing owes the core, and what is extended belongs to what was declared.
      ...((profile === 'core' && features.length > 0) || (profile === 'extended' && features.length === 0)
        ? [`${id}: ${profile} with the features [${features.join(', ')}]`]
        : []),
      ...incidents.filter((incident) => !/^[a-z-]+#\d+$/.test(incident)).map((incident) => `${id}: incident ${incident}`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('every scenario tests requirements that there are, and that its targets owe', () => {
  const wrong = scenarios.flatMap((scenario) => {
    const { id, profile, needs } = scenario;
    if (scenario.requirements.length === 0) return [`${id} names no requirement (suites/specification/)`];
    return scenario.requirements.flatMap((name) => {
      const requirement = requirements.find((one) => one.id === name);
      if (requirement === undefined) return [`${id}: there is no requirement ${name}`];
      const missing = requirement.features.filter((feature) => !needs.features.includes(feature));
      return [
        ...missing.map((feature) => `${id} tests ${name}, which only targets with ${feature} owe: it has to need that feature`),
        ...((profile === 'robustness') === (requirement.profile === 'robustness')
          ? []
          : [
              `${id} (${profile}) tests ${name} (${requirement.profile}): what no correct API would do belongs to robustness, and only that`,
            ]),
        ...(profile === 'core' && requirement.profile !== 'core'
          ? [`${id} is core and tests ${name}, which is ${requirement.profile}`]
          : []),
      ];
    });
  });
  expect(wrong).toEqual([]);
  const features = scenarios.filter(({ profile, needs }) => profile === 'core' && needs.features.length > 0).map(({ id }) => id);
  expect(features, 'core is owed by who declares nothing').toEqual([]);
});

test('every MUST is tested, those of the core by scenarios of the core', () => {
  const musts = covered.filter(({ requirement }) => requirement.level === 'MUST');
  const untested = musts.filter(({ requirement, scenarios: own }) => !own.some(({ profile }) => profile === requirement.profile));
  expect(untested.map(({ requirement }) => requirement.id)).toEqual([]);
});

test('every finding of every check is a breach of some requirement', () => {
  const named = new Set(
    requirements.flatMap(({ breaches }) => Object.entries(breaches).flatMap(([check, codes]) => codes.map((code) => `${check}: ${code}`))),
  );
  const left = checkCatalogue
    .flatMap(({ name, codes }) => Object.keys(codes).map((code) => `${name}: ${code}`))
    .filter((one) => !named.has(one));
  expect(left).toEqual([]);
});

test('what catches a mutant is a breach of a requirement that its scenario tests', () => {
  const wrong = mutants.flatMap(({ target, caughtBy: { scenario: id, check, code } }) => {
    const tested = scenarios.find((scenario) => scenario.id === id)?.requirements ?? [];
    const isBreach = requirements.some((one) => tested.includes(one.id) && one.breaches[check]?.includes(code));
    return isBreach ? [] : [`${target.name}: ${id} finds ${check}: ${code}, which is a breach of none of [${tested.join(', ')}]`];
  });
  expect(wrong).toEqual([]);
});

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

/** For the bundled reference in the embedded world, in scenarios of ten nodes and nine offerings, as in most. */
const bounds: readonly Bound[] = Object.values(
  resolveBounds({ constants: reference.constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 }),
);

test('docs/specification.md matches the code', ({}, { config }) => {
  const path = join(root, 'docs', 'specification.md');
  const text = formatSpecification({ suites, checks: checkCatalogue, bounds });
  if (config.updateSnapshots === 'changed' || config.updateSnapshots === 'all') writeFileSync(path, text);
  const hint = 'it is out of date: run `npx playwright test quality/specification.test.ts --update-snapshots` and commit it';
  expect(readFileSync(path, 'utf8'), hint).toBe(text);
});

test('ids are unique, have the prefix of their area, and are numbered consecutively', () => {
  const wrong = specification.flatMap(({ prefix, requirements: own }) =>
    own.flatMap(({ id }, index) => (id === `${prefix}-${String(index + 1).padStart(2, '0')}` ? [] : [id])),
  );
  expect(wrong).toEqual([]);
  expect(specification.filter(({ prefix }) => !/^[A-Z]{3}$/.test(prefix))).toEqual([]);
  for (const values of [specification.map(({ prefix }) => prefix), specification.map(({ name }) => name), requirements.map(({ id }) => id)])
    expect(new Set(values).size).toBe(values.length);
  expect(requirements.length).toBeGreaterThanOrEqual(60);
});

test('every requirement is a sentence, with reasons, and names only what exists', () => {
  const codes = new Map(checkCatalogue.map((check) => [check.name, Object.keys(check.codes)]));
  const wrong = requirements.flatMap(({ id, title, rationale, observed, breaches, bound, features, profile, incidents }) => {
    const named = Object.entries(breaches);
    return [
      ...[title, rationale].filter((text) => !/^["A-Z].*[.]$/.test(text)).map((text) => `${id}: not a sentence: ${text}`),
      ...(/^[a-z].*[^.]$/.test(observed) ? [] : [`${id}: \`observed\` must begin in lower case and end without a full stop: ${observed}`]),
      ...(named.length === 0 ? [`${id}: no finding is a violation of it`] : []),
      ...named.flatMap(([check, own]) =>
        own.filter((code) => codes.get(check)?.includes(code) !== true).map((code) => `${id}: unknown finding ${check}: ${code}`),
      ),
      ...(typeof bound === 'string' && !bounds.some(({ name }) => name === bound) ? [`${id}: unknown bound ${bound}`] : []),
      ...features.filter((feature) => !FEATURES.includes(feature)).map((feature) => `${id}: unknown feature ${feature}`),
      // The core applies to targets that declare no feature; extended requirements belong to declared features.
      ...((profile === 'core' && features.length > 0) || (profile === 'extended' && features.length === 0)
        ? [`${id}: ${profile} with the features [${features.join(', ')}]`]
        : []),
      ...incidents.filter((incident) => !/^[a-z-]+#\d+$/.test(incident)).map((incident) => `${id}: incident ${incident}`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('every scenario tests requirements that exist, and that apply to its targets', () => {
  const wrong = scenarios.flatMap((scenario) => {
    const { id, profile, needs } = scenario;
    if (scenario.requirements.length === 0) return [`${id} names no requirement (suites/specification/)`];
    return scenario.requirements.flatMap((name) => {
      const requirement = requirements.find((one) => one.id === name);
      if (requirement === undefined) return [`${id}: unknown requirement ${name}`];
      const missing = requirement.features.filter((feature) => !needs.features.includes(feature));
      return [
        ...missing.map((feature) => `${id} tests ${name}, which applies only to targets with ${feature}: it has to need that feature`),
        ...((profile === 'robustness') === (requirement.profile === 'robustness')
          ? []
          : [
              `${id} (${profile}) tests ${name} (${requirement.profile}): tests with incorrect API behavior, and only these, belong to robustness`,
            ]),
        ...(profile === 'core' && requirement.profile !== 'core'
          ? [`${id} is core and tests ${name}, which is ${requirement.profile}`]
          : []),
      ];
    });
  });
  expect(wrong).toEqual([]);
  const features = scenarios.filter(({ profile, needs }) => profile === 'core' && needs.features.length > 0).map(({ id }) => id);
  expect(features, 'core scenarios may not need features').toEqual([]);
});

test('every MUST is tested, core ones by core scenarios', () => {
  const musts = covered.filter(({ requirement }) => requirement.level === 'MUST');
  const untested = musts.filter(({ requirement, scenarios: own }) => !own.some(({ profile }) => profile === requirement.profile));
  expect(untested.map(({ requirement }) => requirement.id)).toEqual([]);
});

test('every finding of every check violates some requirement', () => {
  const named = new Set(
    requirements.flatMap(({ breaches }) => Object.entries(breaches).flatMap(([check, codes]) => codes.map((code) => `${check}: ${code}`))),
  );
  const left = checkCatalogue
    .flatMap(({ name, codes }) => Object.keys(codes).map((code) => `${name}: ${code}`))
    .filter((one) => !named.has(one));
  expect(left).toEqual([]);
});

test('the finding that catches a mutant violates a requirement that its scenario tests', () => {
  const wrong = mutants.flatMap(({ target, caughtBy: { scenario: id, check, code } }) => {
    const tested = scenarios.find((scenario) => scenario.id === id)?.requirements ?? [];
    const isViolation = requirements.some((one) => tested.includes(one.id) && one.breaches[check]?.includes(code));
    return isViolation ? [] : [`${target.name}: ${id} finds ${check}: ${code}, which violates none of [${tested.join(', ')}]`];
  });
  expect(wrong).toEqual([]);
});

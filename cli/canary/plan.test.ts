import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { notesOnPlan, parsePlan, shareOf } from './plan.ts';

const PLAN = `
name: upgrade
baseline: reference
candidate: plain
share: {clusters: 20}
stages:
  - {percent: 5, soak: 30m}
  - {percent: 25}
  - {percent: 100, soak: 1h30m}
`;
const changed = (from: string, to: string): string => PLAN.replace(from, to);

test('fields that a plan leaves out have defaults', () => {
  const plan = parsePlan(PLAN, 'plan.yaml');
  expect(plan).toMatchObject({
    stages: [
      { percent: 5, soak: 1_800_000 },
      { percent: 25, soak: 0 },
      { percent: 100, soak: 5_400_000 },
    ],
    probes: { spot: { atLeast: 100 }, topology: { atLeast: 50 }, most: 450, seed: 1 },
    hooks: {},
    policy: {
      success: { p0: 0.999, p1: 0.95, alpha: 0.05, beta: 0.05 },
      latency: { quantile: 0.99, tailMarginRatio: 1 },
      episodes: { first: 150, step: 75, max: 1200 },
    },
  });
  expect([0, 1, 2].map((stage) => shareOf(plan, stage).length)).toEqual([1, 5, 20]);
  expect(shareOf(plan, 0)).toEqual([{ name: 'cluster-01' }]);
});

test('notes say where a plan is laxer than the defaults', () => {
  const notesOf = (more: string): string[] => notesOnPlan(parsePlan(`${PLAN}${more}`, 'plan.yaml'));
  expect(notesOf('')).toEqual([]);
  expect(notesOf('rules: {p99Ratio: 1.5, success: {alpha: 0.1, p1: 0.96}, unknown: {maxShare: 0.01}}')).toEqual([]);
  expect(
    notesOf('rules: {p99Ratio: 3, success: {p0: 0.99}, unknown: {maxShare: 0.5}}\nprobes: {spot: {atLeast: 60}, topology: {atLeast: 40}}'),
  ).toEqual([
    'laxer than the default: rules.success.p0 0.99 (0.999), rules.unknown.maxShare 0.5 (0.05), rules.p99Ratio 3 (2), ' +
      'probes.spot.atLeast 60 (100), probes.topology.atLeast 40 (50)',
  ]);
});

test('a share grows from stage to stage, has one place at least, and all in the end', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 5 }),
      (count, percents) => {
        const stages = [...percents.sort((a, b) => a - b), 100].map((percent) => `{percent: ${percent}}`);
        const plan = parsePlan(
          PLAN.replace(/clusters: 20/, `clusters: ${count}`).replace(
            /stages:[^]*/,
            `stages: [${stages.join(', ')}]\nprobes: {most: 300}\n`,
          ),
          'p',
        );
        const sizes = stages.map((_, stage) => shareOf(plan, stage).length);
        expect(sizes.every((size, stage) => size >= Math.max(1, sizes[stage - 1] ?? 0))).toBe(true);
        expect(sizes.at(-1)).toBe(count);
      },
    ),
  );
});

for (const [what, source, message] of [
  ['invalid YAML', 'a: [', 'plan.yaml: not valid YAML: '],
  ['an empty file', '', 'plan.yaml: it must be a map of fields'],
  ['an unknown field', changed('share:', 'shares:'), 'it has no field shares; did you mean share?'],
  ['no clusters and no pools', changed('{clusters: 20}', '{}'), 'share must name either clusters or pools'],
  ['a place twice', changed('{clusters: 20}', '{clusters: [a, a]}'), 'share.clusters'],
  ['stages that shrink', changed('percent: 25', 'percent: 5'), 'stages must each have more percent than the one before'],
  ['a last stage below 100 percent', changed('percent: 100', 'percent: 50'), 'stages must end with 100 percent'],
  ['a soak that is not a duration', changed('30m', 'soon'), 'stages.0.soak must be a duration such as 90s, 30m or 1h30m, not "soon"'],
  ['fewer probes than atLeast', `${PLAN}probes: {most: 100}`, 'probes must have a most that is as many as'],
  [
    'more probes than can be compared',
    `${PLAN}probes: {most: 1000}`,
    'probes.most adds up to 3000 in all stages, and at most 2000 can be compared',
  ],
  [
    'a success that no stage can show',
    `${PLAN}rules: {success: {p1: 0.998}}`,
    'clean probes, and probes.most is 450, so no stage could finish',
  ],
  ['an unknown rule', `${PLAN}rules: {success: {p2: 1}}`, 'plan.yaml: rules: success has no field p2'],
  [
    'a command in one text',
    `${PLAN}hooks: {deploy: {command: kubectl}}`,
    'hooks.deploy.command must be a list of the program and its arguments: no shell reads it',
  ],
  [
    'an unknown variable',
    `${PLAN}hooks: {deploy: {command: [a, "\${CLUSTER}"]}}`,
    'refers to ${CLUSTER}; known variables: ACTION, STAGE, PERCENT, PLACE',
  ],
  [
    'a deploy hook without a rollback hook',
    `${PLAN}hooks: {deploy: {command: [a]}}`,
    'hooks must have both deploy and rollback, or neither',
  ],
  ['real clusters without hooks', `${PLAN}probes: {command: [a]}`, 'hooks.deploy is missing: probes.command probes real'],
  [
    'pools of a real cluster',
    `${changed('clusters: 20', 'pools: [a, b]')}probes: {command: [a]}`,
    'two autoscalers in one cluster fight over one lease and one set of claims',
  ],
  [
    'a patch without a kubeconfig',
    `${PLAN}hooks: {deploy: {patch: &p {apiVersion: apps/v1, resource: deployments, name: a, body: {}}}, rollback: {patch: *p}}`,
    'share has cluster-01 without a kubeconfig, which a patch needs',
  ],
] as const)
  test(`a plan is rejected: ${what}`, () => {
    expect(() => parsePlan(source, 'plan.yaml')).toThrow(message);
  });

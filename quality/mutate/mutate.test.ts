import { expect, test } from '@playwright/test';
import { GENERATED_SUITE } from '../../explore/generated.ts';
import { SMALL } from '../../explore/testing/ground.ts';
import { mutate } from './mutate.ts';
import type { MutateOptions } from './mutate.ts';
import { mutationReportSchema } from './outcome.ts';

const OPTIONS: MutateOptions = {
  count: 3,
  seed: 2,
  scenarios: ['scheduling/node-selectors'],
  generated: [],
  files: ['controller/provisioning/pods.ts'],
  only: [],
  workers: 2,
  trialSeeds: 1,
  searchMs: 0,
  crashPoints: false,
  signal: new AbortController().signal,
  say: () => undefined,
};

test('the same seed has the same mutants with the same verdicts, of more than one kind', async () => {
  const [one, other] = [await mutate(OPTIONS), await mutate({ ...OPTIONS, workers: 1 })];
  expect(other).toEqual(one);
  expect(mutationReportSchema.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
  expect(one.mutants.map(({ id }) => id)).toEqual([0, 1, 2]);
  const outcomes = new Set(one.mutants.map(({ result }) => result.outcome));
  expect([...outcomes]).toContain('killed');
  expect(outcomes.size).toBeGreaterThan(1);
});

test('one of the drawn mutants, by its number', async () => {
  const { mutants } = await mutate({ ...OPTIONS, only: [1] });
  expect(mutants.map(({ id }) => id)).toEqual([1]);
});

test('generated scenarios run after all others', async () => {
  const { scenarios, mutants } = await mutate({ ...OPTIONS, generated: [SMALL] });
  expect(scenarios).toBe(2);
  const killers = mutants.flatMap(({ result }) => (result.outcome === 'killed' ? [result.scenario] : []));
  const executed = mutants.flatMap(({ result }) => ('scenarios' in result ? [result.scenarios] : []));
  expect(new Set(killers)).toEqual(new Set(OPTIONS.scenarios));
  expect(executed).toContainEqual([...OPTIONS.scenarios, `${GENERATED_SUITE}/${SMALL.name}`]);
});

test('what was interrupted has no verdict', async () => {
  const { interrupted, mutants } = await mutate({ ...OPTIONS, signal: AbortSignal.abort() });
  expect({ interrupted, mutants }).toEqual({ interrupted: true, mutants: [] });
});

test('unknown files, scenarios and numbers are errors', async () => {
  await expect(mutate({ ...OPTIONS, files: ['controller/none.ts'] })).rejects.toThrow('no trial loads such a file');
  await expect(mutate({ ...OPTIONS, scenarios: ['a/none'] })).rejects.toThrow('there is no such scenario');
  await expect(mutate({ ...OPTIONS, only: [3] })).rejects.toThrow('no mutant that is drawn has this number');
});

import { expect, test } from '@playwright/test';
import type { Mutant } from '../targets/mutants/mutant.ts';
import type { MatrixTrial } from './mutant-trial.ts';
import { failing, mutantOf, passing } from './testing/matrix-trials.ts';
import { findVacuity } from './vacuity.ts';
import type { Inventory, Vacuity, VacuityReason } from './vacuity.ts';

const control = ['a/a', 'a/b', 'a/c'].map((id) => passing(id));

/** What is vacuous, as `kind name: state`. */
function vacuous(
  trials: readonly MatrixTrial[],
  inventory: Partial<Inventory>,
  beside = control,
  mutants: readonly Mutant[] = [],
): string[] {
  const nothing = { scenarios: [], checks: [], faults: [], bounds: [], reasons: [], isWhole: true };
  return findVacuity({ mutants, trials, control: beside }, { ...nothing, ...inventory }).lines.map(
    ({ kind, name, state }) => `${kind} ${name}: ${state}`,
  );
}

test('a check matters if a trial fails by it alone, or a mutant is caught by it as declared', () => {
  const checks = ['x', 'y', 'z'];
  const trials = [failing('m', 'a/a', ['x', 'y']), failing('n', 'a/b', ['x'])];
  const nothing = ['check y: nothing-alone', 'check z: nothing-alone'];
  expect(vacuous(trials, { checks }, control, [mutantOf('n', 'a/b', 'z')])).toEqual(nothing);
  expect(vacuous(trials, { checks }), 'other than as declared, it may be chance').toEqual(['check x: nothing-alone', ...nothing]);
  const both = [failing('m', 'a/a', ['x', 'y'])];
  expect(vacuous(both, { checks: ['x', 'y'] }, control, [mutantOf('m', 'a/a', 'x')])).toEqual(['check y: nothing-alone']);
});

test('a scenario matters if a mutant is caught nowhere else; for others, requirements without another test are listed', () => {
  const scenarios = ['a/a', 'a/b', 'a/c'].map((id) => ({ id, requirements: ['R-1'] }));
  const trials = [failing('m', 'a/a', ['x']), failing('n', 'a/a', ['x']), failing('n', 'a/b', ['x'])];
  expect(vacuous(trials, { scenarios })).toEqual(['scenario a/b: nothing-alone', 'scenario a/c: nothing-alone']);
  const [a, b, c] = scenarios;
  if (a === undefined || b === undefined || c === undefined) throw new Error('three scenarios');
  const inventory = { checks: [], faults: [], bounds: [], reasons: [], isWhole: true };
  const { lines } = findVacuity(
    { mutants: [], trials, control },
    { ...inventory, scenarios: [a, b, { ...c, requirements: ['R-1', 'R-2', 'R-3'] }] },
  );
  expect(lines.map(({ name, detail }) => [name, detail])).toEqual([
    ['a/b', 'n: each also caught without it'],
    ['a/c', 'no mutant at all; the only test of R-2 and R-3'],
  ]);
});

test('a fault matters if a mutant is caught only in scenarios in which it fires', () => {
  const faults = ['f', 'g', 'h', 'i'];
  const beside = [...control, passing('a/c', 1, { fired: ['h'] })];
  const trials = [
    failing('m', 'a/a', ['x'], { fired: ['f', 'g'] }),
    failing('m', 'a/b', ['x'], { fired: ['f'] }),
    failing('m', 'a/a', ['x'], { seed: 2, fired: ['i'] }),
  ];
  expect(vacuous(trials.slice(0, 2), { faults }, beside)).toEqual([
    'fault g: nothing-alone',
    'fault h: nothing-alone',
    'fault i: never-fired',
  ]);
  expect(vacuous(trials, { faults: ['i'] }, beside), 'a trial that the reference did not run proves only that the fault fired').toEqual([
    'fault i: never-fired',
  ]);
});

test('a bound matters if a correct or a faulty target comes near it; a loose one has its reason in its definition', () => {
  const bounds = (near: number): MatrixTrial['bounds'] => [
    { check: 'x', bound: 'settle', ratio: near },
    { check: 'y', bound: 'settle', ratio: 0.1 },
  ];
  const trials = [failing('m', 'a/a', ['x'], { bounds: bounds(1.2) })];
  const known = [{ name: 'settle' }, { name: 'teardown', loose: 'only wrong targets come near it' }];
  const inventory = { scenarios: [], checks: [], faults: [], bounds: known, reasons: [], isWhole: true };
  const beside = [passing('a/a', 1, { bounds: bounds(0.1) })];
  const { lines } = findVacuity({ mutants: [mutantOf('m', 'a/a', 'x')], trials, control: beside }, inventory);
  expect(lines.map(({ name, state, reason }) => [name, state, reason])).toEqual([
    ['y: settle', 'never-near', undefined],
    ['teardown', 'never-near', 'only wrong targets come near it'],
  ]);
});

test('a reason applies to its own line only, and is stale if that is not vacuous', () => {
  const reasonOf = (name: string, state: VacuityReason['state']): VacuityReason => ({
    kind: 'check',
    names: [name],
    state,
    reason: 'it is known',
  });
  const find = (isWhole: boolean): Vacuity =>
    findVacuity(
      { mutants: [mutantOf('m', 'a/a', 'x')], trials: [failing('m', 'a/a', ['x', 'y'])], control },
      {
        scenarios: [],
        checks: ['x', 'y', 'z'],
        faults: [],
        bounds: [],
        reasons: [reasonOf('x', 'nothing-alone'), reasonOf('y', 'nothing-alone'), reasonOf('z', 'never-near')],
        isWhole,
      },
    );
  const { lines, stale } = find(true);
  expect(lines.map(({ name, reason }) => [name, reason])).toEqual([
    ['y', 'it is known'],
    ['z', undefined],
  ]);
  expect(stale.map(({ name, state }) => [name, state])).toEqual([
    ['x', 'nothing-alone'],
    ['z', 'never-near'],
  ]);
  expect(find(false).stale, 'trials that were not run may show that they are needed').toEqual([]);
});

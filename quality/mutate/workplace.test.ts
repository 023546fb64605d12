import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { loadTarget } from '../../harness/load.ts';
import type { TargetRef } from '../../harness/load.ts';
import { runTrial } from '../../harness/run.ts';
import { sources as scenarios } from '../../suites/catalogue.ts';
import { constantsOf } from '../../targets/reference.ts';
import { STANDARD } from '../../controller/periods.ts';
import { drawMutants } from './draw.ts';
import { ACTIVE, EXECUTED } from './switch.ts';
import { mutableSources, writeWorkplace } from './workplace.ts';

let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-workplace-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test('only files that a trial loads are changed, and none for metrics', () => {
  const files = mutableSources().map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(['controller/controller.ts', 'controller/scheduling/simulator.ts']));
  expect(files.filter((file) => /\.test\.ts|testing|main\.ts|metrics|gauges/.test(file))).toEqual([]);
});

test('with every mutant, but none active, a history has the same bytes as with the reference', async () => {
  const target = writeWorkplace(folder, drawMutants(mutableSources(), { count: Infinity, seed: 1 }));
  const reference = await historyOf('reference', { name: 'reference' });
  expect(await historyOf('changed', target)).toBe(reference);
  expect(await historyOf('noted', target, { [EXECUTED]: join(folder, 'executed.txt') })).toBe(reference);
});

test('a changed period is not what the target declares', async () => {
  const all = drawMutants(mutableSources(), { count: Infinity, seed: 1 });
  const mutant = all.find(({ file, kind }) => file === 'controller/periods.ts' && kind === 'constant');
  if (mutant === undefined) throw new Error('the periods have no mutant');
  const { constants } = await loadTarget(writeWorkplace(folder, [mutant]));
  expect(constants).toEqual(constantsOf(STANDARD));
  const text = await historyOf('mutant', writeWorkplaceBeside([mutant]), { [ACTIVE]: String(mutant.id) });
  expect(text).toContain(JSON.stringify(constantsOf(STANDARD)));
});

function writeWorkplaceBeside(mutants: Parameters<typeof writeWorkplace>[1]): TargetRef {
  return writeWorkplace(mkdtempSync(join(folder, 'beside-')), mutants);
}

async function historyOf(name: string, target: TargetRef, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const directory = join(folder, `run-${name}`);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  const source = scenarios.find(({ scenario }) => scenario.id === 'scheduling/node-selectors');
  if (source === undefined) throw new Error('there is no such scenario');
  const { history } = await runTrial({ scenario: source.ref, suite: source.suite, target, directory, environment });
  return readFileSync(join(directory, history), 'utf8');
}

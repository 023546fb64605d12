import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { PlannedTrial } from '../../harness/run.ts';
import { folderWith } from '../testing/files.ts';
import { CELLS_FILE, Cells, cellKeyOf } from './cells.ts';
import type { CellSources } from './cells.ts';

const TRIAL: PlannedTrial = {
  scenario: { id: 'a/b', title: '' },
  suite: '',
  ref: { module: 'file:///a.ts', export: 'b' },
  digest: 'scenario',
  target: { name: 'reference' },
  targetLabel: 'reference',
  seed: 1,
  nodes: 10,
  wallMs: undefined,
  replay: 'sp1,seed=1',
  history: 'histories/a.b-seed-1.jsonl',
};
const SOURCES: CellSources = { sources: 'code', target: 'target', digests: { catalogue: 'types', prices: 'prices' } };

test('everything that decides a verdict is in the key', () => {
  const keys = [
    cellKeyOf(TRIAL, SOURCES),
    cellKeyOf({ ...TRIAL, replay: 'sp1,seed=2' }, SOURCES),
    cellKeyOf({ ...TRIAL, digest: 'other' }, SOURCES),
    cellKeyOf(TRIAL, { ...SOURCES, sources: 'other' }),
    cellKeyOf(TRIAL, { ...SOURCES, target: 'other' }),
    cellKeyOf(TRIAL, { ...SOURCES, target: undefined }),
    cellKeyOf(TRIAL, { ...SOURCES, digests: { ...SOURCES.digests, catalogue: 'other' } }),
    cellKeyOf(TRIAL, { ...SOURCES, digests: { ...SOURCES.digests, prices: 'other' } }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(cellKeyOf({ ...TRIAL }, { ...SOURCES })).toBe(keys[0]);
});

test('a trial is done if its key is the last one for its history, and the history is there', ({}, testInfo) => {
  const directory = folderWith(testInfo);
  new Cells(directory).add(TRIAL.history, 'old');
  const cells = new Cells(directory);
  cells.add(TRIAL.history, 'new');
  expect(cells.has(TRIAL, 'new'), 'without a history').toBe(false);
  mkdirSync(join(directory, 'histories'));
  writeFileSync(join(directory, TRIAL.history), '');
  for (const one of [cells, new Cells(directory)]) expect([one.has(TRIAL, 'old'), one.has(TRIAL, 'new')]).toEqual([false, true]);
});

test('a history that is about to be replaced belongs to no trial, whatever it was before', ({}, testInfo) => {
  const directory = folderWith(testInfo);
  mkdirSync(join(directory, 'histories'));
  writeFileSync(join(directory, TRIAL.history), '');
  const cells = new Cells(directory);
  cells.add(TRIAL.history, 'old');
  cells.forget(TRIAL.history);
  // The process was killed in the middle of the new trial, and the code is the old one again.
  expect(new Cells(directory).has(TRIAL, 'old')).toBe(false);
  const { length } = readFileSync(join(directory, CELLS_FILE), 'utf8');
  cells.forget(TRIAL.history);
  cells.forget('histories/never-there.jsonl');
  expect(readFileSync(join(directory, CELLS_FILE), 'utf8')).toHaveLength(length);
});

test('a damaged file is refused with what to do', ({}, testInfo) => {
  const directory = folderWith(testInfo, { [CELLS_FILE]: '{"history":1}\n' });
  expect(() => new Cells(directory)).toThrow(/cells\.jsonl is damaged; remove it/);
  expect(readFileSync(join(directory, CELLS_FILE), 'utf8')).toBe('{"history":1}\n');
});

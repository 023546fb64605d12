import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ACTIVE, EXECUTED, createSwitch, executedInLast } from './switch.ts';

test('one mutant is active, or none', () => {
  expect([0, 1, 2].map(createSwitch({ [ACTIVE]: '1' }).isActive)).toEqual([false, true, false]);
  expect([0, 1, 2].map(createSwitch({}).isActive)).toEqual([false, false, false]);
});

test('what the last trial executed is known, and what was executed when modules were loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-switch-'));
  try {
    const path = join(folder, 'executed.txt');
    const { isActive, beginTrial } = createSwitch({ [EXECUTED]: path });
    const executed: number[][] = [];
    isActive(7);
    for (const ids of [[3, 1, 3], [], [4, 1]]) {
      beginTrial();
      ids.map(isActive);
      executed.push([...executedInLast(readFileSync(path, 'utf8'))]);
    }
    expect(executed).toEqual([[7, 3, 1], [7], [7, 4, 1]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ACTIVE, EXECUTED, createSwitch, executedInLast } from './switch.ts';

test('one mutant is active, or none', () => {
  const { isActive } = createSwitch({ [ACTIVE]: '1' });
  expect([0, 1, 2].map((id) => isActive(id))).toEqual([false, true, false]);
  expect([0, 1, 2].map((id) => createSwitch({}).isActive(id))).toEqual([false, false, false]);
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
      for (const id of ids) isActive(id);
      executed.push([...executedInLast(readFileSync(path, 'utf8')).executed]);
    }
    expect(executed).toEqual([[7, 3, 1], [7], [7, 4, 1]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('which of them would have had another value, or may have had', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-switch-'));
  try {
    const path = join(folder, 'executed.txt');
    const { isActive, beginTrial } = createSwitch({ [EXECUTED]: path });
    const fail = (): never => {
      throw new TypeError('there is nothing');
    };
    beginTrial();
    const asked = [
      isActive(
        1,
        () => 5,
        () => 5,
      ),
      isActive(
        2,
        () => 4,
        () => 5,
      ),
      isActive(3, fail, () => 5),
      isActive(4),
    ];
    expect(asked).toEqual([false, false, false, false]);
    const { executed, differing } = executedInLast(readFileSync(path, 'utf8'));
    expect([...executed]).toEqual([1, 2, 3, 4]);
    expect([...differing]).toEqual([2, 3, 4]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

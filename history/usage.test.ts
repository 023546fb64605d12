import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readUsage, removeHistory, usagePath, writeUsage } from './usage.ts';
import type { Usage } from './usage.ts';

const USAGE: Usage = { cpuMs: 1_234.5, memory: 'webassembly', peakMiB: 400, samples: [{ t: 0, incarnation: 1, heapMiB: 31.25 }] };

test('what was measured is beside the history, and goes with it', ({}, testInfo) => {
  mkdirSync(testInfo.outputDir, { recursive: true });
  const history = testInfo.outputPath('soak-seed-1.jsonl');
  writeFileSync(history, '');
  expect(readUsage(history)).toBeUndefined();
  writeUsage(history, USAGE);
  expect(usagePath(history)).toBe(join(testInfo.outputDir, 'soak-seed-1.usage.json'));
  expect(readUsage(history)).toEqual(USAGE);
  removeHistory(history);
  expect([history, usagePath(history)].filter((path) => existsSync(path))).toEqual([]);
});

test('a damaged file is refused, and named', ({}, testInfo) => {
  mkdirSync(testInfo.outputDir, { recursive: true });
  const history = testInfo.outputPath('soak-seed-1.jsonl');
  writeFileSync(usagePath(history), '{"cpuMs":');
  expect(() => readUsage(history)).toThrow(/soak-seed-1\.usage\.json: can't be read/);
});

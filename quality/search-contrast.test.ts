import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { SMALL } from '../explore/testing/ground.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { labelOf } from '../harness/run.ts';
import { ACTIVE } from './mutate/switch.ts';
import { planted } from './mutate/testing/planted.ts';
import { writeWorkplace } from './mutate/workplace.ts';
import { searchContrast } from './search-contrast.ts';
import type { Contrast, ContrastEnd } from './search-contrast.ts';

let folder: string;
let search: (id: number, how: Pick<Contrast, 'limitMs'> & Partial<Pick<Contrast, 'signal' | 'sound'>>) => Promise<ContrastEnd>;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-search-'));
  const mutants = [
    planted(0, 'controller/controller.ts', 'provisioner.run()', 'Promise.resolve()'),
    planted(1, 'controller/constants.ts', '1 * SECOND_MS', 'SECOND_MS / 1'),
  ];
  const ref = writeWorkplace(mkdtempSync(join(folder, 'sources-')), mutants);
  const target = { ref, label: labelOf(ref) };
  const clock = createRealTimeline().scope('test');
  const signal = new AbortController().signal;
  search = (id, how) =>
    searchContrast({
      faulty: { target, environment: { [ACTIVE]: String(id) } },
      sound: { target },
      seed: 'test',
      corpus: [SMALL],
      clock,
      signal,
      ...how,
    });
});
test.afterEach(() => rmSync(folder, { recursive: true }));

/** More than any machine needs. */
const LONG_MS = 150_000;

test('a search finds a scenario that one target fails and another passes, and makes it smaller', async () => {
  const { found, common, trials } = await search(0, { limitMs: LONG_MS });
  expect(found?.cause).toMatchObject({ check: 'success-rate', code: 'pod-not-served' });
  expect(found?.data).toMatchObject({ schema: SMALL.schema, faults: [] });
  expect(found?.afterTrials).toBeLessThanOrEqual(trials);
  expect(common).toEqual([]);
});

test('a search ends when its time is up, and when it is interrupted', async () => {
  expect((await search(1, { limitMs: 1 })).found).toBeUndefined();
  expect((await search(0, { limitMs: LONG_MS, signal: AbortSignal.abort() })).found).toBeUndefined();
});

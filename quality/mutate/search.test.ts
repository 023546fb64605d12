import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { SMALL } from '../../explore/testing/ground.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { searchForKill } from './search.ts';
import type { SearchSite } from './search.ts';
import { planted } from './testing/planted.ts';
import { writeWorkplace } from './workplace.ts';

let site: Omit<SearchSite, 'limitMs'>;
test.beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-search-'));
  const mutants = [
    planted(0, 'controller/controller.ts', 'provisioner.run()', 'Promise.resolve()'),
    planted(1, 'controller/constants.ts', '1 * SECOND_MS', 'SECOND_MS / 1'),
  ];
  const ref = writeWorkplace(mkdtempSync(join(folder, 'sources-')), mutants);
  site = { ref, folder, clock: createRealTimeline().scope('test'), signal: new AbortController().signal };
});
test.afterEach(() => rmSync(site.folder, { recursive: true }));

/** More than any machine needs. */
const LONG_MS = 150_000;

test('a search kills a mutant with a scenario that the controller passes, and says which', async () => {
  const killed = await searchForKill(0, [SMALL], { ...site, limitMs: LONG_MS });
  expect(killed).toMatchObject({ outcome: 'killed', check: 'success-rate', code: 'pod-not-served', generated: { schema: SMALL.schema } });
  expect(killed?.scenario).toBe(`explore/${killed?.generated?.name}`);
});

test('a search ends when its time is up, and when it is interrupted', async () => {
  expect(await searchForKill(1, [SMALL], { ...site, limitMs: 1 })).toBeUndefined();
  expect(await searchForKill(0, [SMALL], { ...site, signal: AbortSignal.abort(), limitMs: LONG_MS })).toBeUndefined();
});

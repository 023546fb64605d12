import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderWith } from '../testing/files.ts';
import { openJournal, parseJournal, progressOf } from './journal.ts';
import type { JournalLine } from './journal.ts';

const at = '2026-01-01T00:00:00.000Z';
const LINES: readonly JournalLine[] = [
  { what: 'begun', format: 1, plan: 'upgrade', digest: 'one', source: '', at },
  { what: 'begun', format: 1, plan: 'upgrade', digest: 'two', source: '', at },
  { what: 'deploying', stage: 0, places: ['a'], at },
  { what: 'deployed', stage: 0, at },
  { what: 'probed', stage: 0, nextSeed: 11, directory: 'stage-1-batch-1', begunAt: at, at },
  { what: 'advanced', stage: 0, at },
  { what: 'deploying', stage: 1, places: ['a', 'b'], at },
  { what: 'rolling-back', stage: 1, why: 'it failed', at },
  { what: 'undone', places: ['a', 'b'], at },
  { what: 'ended', how: 'rolled-back', at },
];

test('shows how far a canary got, wherever it was killed', () => {
  const seen = LINES.map((_, index) => progressOf(LINES.slice(0, index + 1)));
  expect(progressOf([])).toBeUndefined();
  expect(seen[1]).toMatchObject({ digest: 'two', stage: 0, places: [] });
  expect(seen[2]).toMatchObject({ stage: 0, places: ['a'], deployedAtMs: undefined });
  expect(seen[3]).toMatchObject({ deployedAtMs: Date.parse(at) });
  expect(seen[4]).toMatchObject({ nextSeed: 11, batches: [{ stage: 0, directory: 'stage-1-batch-1' }] });
  expect(seen[5]).toMatchObject({ stage: 1, places: ['a'], deployedAtMs: undefined });
  expect(seen[7]).toMatchObject({ stage: 1, places: ['a', 'b'], rollingBack: 'it failed', ended: undefined });
  expect(seen[8]).toMatchObject({ places: [] });
  expect(seen[9]).toMatchObject({ ended: 'rolled-back' });
});

test('a truncated line is ignored, and a damaged one is an error that names it', ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const path = join(folder, 'journal.jsonl');
  const whole = LINES.slice(0, 3).map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(path, `${whole.join('')}{"what":"depl`);
  const journal = openJournal(folder);
  expect(journal.lines).toEqual(LINES.slice(0, 3));
  const deployed: JournalLine = { what: 'deployed', stage: 0, at };
  journal.append(deployed);
  journal.close();
  expect(parseJournal(readFileSync(path), path)).toEqual([...LINES.slice(0, 3), deployed]);
  expect(() => parseJournal(Buffer.from('{"what":"else"}\n'), 'j')).toThrow("j, line 1, is not a valid line of a canary's journal");
});

test('only one process at a time can open it', ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const first = openJournal(folder);
  expect(() => openJournal(folder)).toThrow('is in use by another process: only one canary can run there at a time');
  first.close();
  openJournal(folder).close();
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { API_REPORT, apiReport } from './api-report.ts';
import { root } from './sources.ts';

test('the public API matches its report', { tag: '@long' }, () => {
  // Takes ten seconds on an idle machine, and up to twenty times as long on a busy one.
  test.setTimeout(600_000);
  expect(
    apiReport(),
    `The public API has changed. If that is intended, update ${API_REPORT} with \`npm run api\`, and add an entry to CHANGELOG.md.`,
  ).toBe(readFileSync(join(root, API_REPORT), 'utf8'));
});

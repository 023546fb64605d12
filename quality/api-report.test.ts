import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { API_REPORT, apiReport } from './api-report.ts';
import { root } from './sources.ts';

test('what the package offers is what its API report says', () => {
  // Ten seconds alone; compiling on a busy machine takes twenty times as long.
  test.setTimeout(600_000);
  expect(
    apiReport(),
    `The public API has changed. If that is meant, write ${API_REPORT} again with \`npm run api\`, and tell users in CHANGELOG.md.`,
  ).toBe(readFileSync(join(root, API_REPORT), 'utf8'));
});

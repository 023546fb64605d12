import { defineConfig } from '@playwright/test';
import { clustersWanted } from './world.ts';

/** The longest trial in real time ends before this. */
const TRIAL_LIMIT_MS = 6 * 3_600_000;

/** The suites on real clusters: `npm run test:kind`. One cluster per worker, all created before the first test. */
export default defineConfig({
  testDir: '..',
  outputDir: '../../../runs/test-kind',
  globalSetup: './set-up.ts',
  fullyParallel: true,
  workers: clustersWanted(),
  // A retry would hide a finding as a flake.
  retries: 0,
  timeout: TRIAL_LIMIT_MS,
  reporter: [['list'], ['../../../quality/totals-reporter.ts', {}]],
});

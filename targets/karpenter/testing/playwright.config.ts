import { spawnSync } from 'node:child_process';
import { defineConfig } from '@playwright/test';

/** A trial takes some ten seconds of processor time, and each test runs a few. */
const TEST_LIMIT_MS = 600_000;

const hasGo = spawnSync('go', ['version']).status === 0;
const skip = hasGo ? {} : { karpenter: 'there is no go on PATH, with which Karpenter is built: https://go.dev/dl' };

/** Tests that run real Karpenter: `npm run test:karpenter`. */
export default defineConfig({
  testDir: '..',
  outputDir: '../../../runs/test-karpenter',
  ...(hasGo ? { globalSetup: './build.ts' } : {}),
  // Each test runs two trials in parallel.
  workers: 1,
  // A retry would hide a finding as a flake.
  retries: 0,
  timeout: TEST_LIMIT_MS,
  reporter: [['list'], ['../../../quality/totals-reporter.ts', { skip }]],
  projects: [{ name: 'karpenter', testMatch: '**/*.karpenter.test.ts' }],
});

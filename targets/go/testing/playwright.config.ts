import { spawnSync } from 'node:child_process';
import { defineConfig } from '@playwright/test';

/** Compiling a small program without a cache takes a minute on two cores. */
const TEST_LIMIT_MS = 900_000;

const { status } = spawnSync('go', ['version']);
const skip = status === 0 ? {} : { go: 'there is no go on PATH: https://go.dev/dl' };

/** Tests that need the Go toolchain: `npm run test:go`. */
export default defineConfig({
  testDir: '../../..',
  respectGitIgnore: true,
  outputDir: '../../../runs/test-go',
  // Each test compiles with all cores.
  workers: 1,
  // A retry would hide a finding as a flake.
  retries: 0,
  timeout: TEST_LIMIT_MS,
  reporter: [['list'], ['../../../quality/totals-reporter.ts', { skip }]],
  projects: [{ name: 'go', testMatch: '**/*.go.test.ts' }],
});

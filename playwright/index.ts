/** What a user's Playwright tests import: `import { test, expect, trials } from 'scaleproof/playwright'`. */
export { expect } from '@playwright/test';
export { test } from './fixtures.ts';
export type { RunTrial, TrialFixtures, TrialOptions, TrialWorkerFixtures } from './fixtures.ts';
export { trials } from './trials.ts';
export type { TrialChoice, TrialTest } from './trials.ts';

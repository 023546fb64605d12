import { test as base } from '@playwright/test';
import { createTrialRunner } from '../../harness/supervisor.ts';
import type { TrialRunner } from '../../harness/supervisor.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';

/** Tests of single trials: those of one Playwright worker run in one process, as the trials of the command do. */
export const test = base.extend<object, { readonly runner: TrialRunner }>({
  runner: [
    async ({}, use) => {
      const clock = createRealTimeline().scope('runner');
      const runner = createTrialRunner({ clock });
      await use(runner);
      await runner.end();
    },
    { scope: 'worker' },
  ],
});

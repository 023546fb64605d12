import { test, trials } from '../playwright/index.ts';

/** Every scenario of the suites is a test. */
test.use({ target: 'reference' });

for (const { title, details, run } of trials()) test(title, details, run);

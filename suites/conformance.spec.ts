import { test, trials } from '../playwright/index.ts';

/** Every scenario of the suites is a test, but those of the profile endurance: `npx scaleproof run --profile endurance`. */
test.use({ target: 'reference' });

for (const { title, details, run } of trials()) test(title, details, run);

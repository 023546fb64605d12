import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import fc from 'fast-check';

const isCi = process.env['CI'] !== undefined;

/** Debian's browser, unless CHROMIUM_PATH names another: Playwright's own need not be downloaded. */
const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const skip = existsSync(chromium) ? {} : { pages: `there is no ${chromium}; install Chromium or set CHROMIUM_PATH` };

/** `npm run test:all` sets the variable. What has the tag `@long` is slow, and either a wider sample of what other tests look at, or about the code itself. */
const longer = process.env['LONGER_TESTS'] === undefined ? 'left out' : 'included';

// A test that imports 'scaleproof', or has a child import it, means the sources: see "exports" in package.json.
process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --conditions=scaleproof-source`.trim();

// Workers, and the processes that trials run in, start in half the time where Node finds what it has compiled. Commands keep it there too.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

// Node strips the types of what it loads by itself, in a quarter of the time of Playwright's compiler, and at the same lines and
// columns. Scripts in package.json set the variable as well, since this file is read after the loader is chosen for this process.
process.env['PW_DISABLE_TS_ESM'] = '1';

// A property that fails in one run of many is a finding, but not of the change that happens to be tested: the seed is
// given, and PROPERTY_SEED tries others. Every worker reads this file.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

export default defineConfig({
  testDir: '.',
  respectGitIgnore: true,
  forbidOnly: isCi,
  fullyParallel: true,
  // On two processors: some tests wait for programs in real time.
  workers: 4,
  // A retry would launder a finding into a flake.
  retries: 0,
  // Lint takes a fifth of it on an idle machine.
  timeout: 300_000,
  // One line that changes on a terminal, and one for eighty tests elsewhere. The totals come last: they must be the last line.
  reporter: [[isCi || !process.stdout.isTTY ? 'dot' : 'line'], ['./quality/totals-reporter.ts', { skip, longer }]],
  projects: [
    { name: 'unit', testMatch: '**/*.test.ts', testIgnore: ['**/*.page.test.ts', '**/*.go.test.ts', '**/*.karpenter.test.ts'] },
    // Trials of a wrong autoscaler go on to their last bound.
    // Those on real clusters have a configuration of their own, and so has the example, which a test installs and runs.
    { name: 'suites', testMatch: '**/*.spec.ts', testIgnore: ['suites/kind/**', 'fixtures/**'], timeout: 600_000 },
    {
      name: 'pages',
      testMatch: '**/*.page.test.ts',
      // Beside other tests a page of many scenarios takes longer than the usual 5 s.
      expect: { timeout: 60_000 },
      use: {
        browserName: 'chromium',
        launchOptions: {
          executablePath: chromium,
          args: [
            // Containers and CI run as root, where the sandbox can't.
            '--no-sandbox',
            '--disable-gpu',
            // Nothing leaves the machine: a page under test is local.
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
          ],
        },
      },
    },
  ],
});

import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { start } from '../testing/command.ts';
import { skipWithout, withRunningWorld } from './testing/running-world.ts';

const SOURCES = join(packageRoot(), 'cli/world/testing/clients/go');
/** The first build on a machine compiles all of client-go. */
const BUILD_LIMIT_MS = 900_000;

test('a Go program on client-go against a running world', async ({}, testInfo) => {
  skipWithout('go', ['version']);
  test.setTimeout(BUILD_LIMIT_MS + 180_000);
  const modules = await start('go', ['mod', 'download'], SOURCES).finished;
  test.skip(modules.code !== 0, `its modules can't be downloaded: ${modules.stderr.trim().split('\n').at(-1)}`);
  const program = testInfo.outputPath('clients');
  const built = await start('go', ['build', '-o', program, '.'], SOURCES).finished;
  expect(built.code, built.stderr).toBe(0);
  await withRunningWorld(testInfo, async ({ run, operator }) => {
    // Reflectors of 1.34 list by default, and stream the list only with this feature.
    const { code, stdout, stderr } = await run(program, [], { ...operator, KUBE_FEATURE_WatchListClient: 'true' });
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'discovery',
      'informer',
      'pages',
      'patches',
      'conflicts',
      'preconditions',
      'refusals',
      'metadata',
      'dynamic',
      'eviction',
      'leader election',
    ]);
  });
});

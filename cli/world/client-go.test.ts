import { expect, test } from '@playwright/test';
import { buildGoProgram } from './testing/go-program.ts';
import { withRunningWorld } from './testing/running-world.ts';

test('a Go program on client-go against a running world', async ({}, testInfo) => {
  const program = await buildGoProgram(testInfo, 'go');
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

import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { start } from '../../testing/command.ts';
import { skipWithout } from './running-world.ts';

/** The first build on a machine compiles all of client-go, or of the AWS SDK. */
const BUILD_LIMIT_MS = 900_000;
/** The rest of a test, with a running world. */
const RUN_LIMIT_MS = 300_000;

/**
 * Builds one of the Go programs in `cli/world/testing/clients`. Skips the calling test, and says why, if there is no Go or its
 * modules can't be downloaded.
 * @returns the program's path
 */
export async function buildGoProgram(testInfo: TestInfo, name: string): Promise<string> {
  skipWithout('go', ['version']);
  test.setTimeout(BUILD_LIMIT_MS + RUN_LIMIT_MS);
  const sources = join(packageRoot(), 'cli/world/testing/clients', name);
  const modules = await start('go', ['mod', 'download'], sources).finished;
  test.skip(modules.code !== 0, `its modules can't be downloaded: ${modules.stderr.trim().split('\n').at(-1)}`);
  const program = testInfo.outputPath('program');
  const built = await start('go', ['build', '-o', program, '.'], sources).finished;
  expect(built.code, built.stderr).toBe(0);
  return program;
}

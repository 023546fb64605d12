import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { start, usersEnvironment } from '../cli/testing/command.ts';
import { folderWith } from '../cli/testing/files.ts';
import { root } from './sources.ts';

const TESTS = `\
import { expect, test } from '@playwright/test';

test('quick', () => undefined);
test('skipped', () => test.skip(true, 'no moon tonight'));
for (const name of ['one', 'two']) test(name, () => test.skip(true, 'no sun today'));
test('long', { tag: '@long' }, () => expect(1).toBe(2));
`;

const reporter = JSON.stringify(join(root, 'quality/totals-reporter.ts'));

for (const [longer, code, last] of [
  ['left out', 0, ['longer tests left out: 1; `npm run test:all` runs them too', '1 passed, 0 failed, 3 skipped']],
  ['included', 1, ['longer tests included: 1', '1 passed, 1 failed, 3 skipped']],
] as const)
  test(`the totals say which tests they are of: longer ones ${longer}`, async ({}, testInfo) => {
    const folder = folderWith(testInfo, { 'some.test.mjs': TESTS });
    writeFileSync(
      join(folder, 'playwright.config.mjs'),
      `export default { testMatch: '*.test.mjs', respectGitIgnore: false, outputDir: 'out', reporter: [[${reporter}, { longer: '${longer}' }]] };\n`,
    );
    const args = [join(root, 'node_modules/@playwright/test/cli.js'), 'test'];
    const { code: ended, stdout, stderr } = await start(process.execPath, args, folder, usersEnvironment()).finished;
    expect(ended, stdout + stderr).toBe(code);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(-2)).toEqual(last);
    expect(lines).toContainEqual(expect.stringMatching(/^skipped: .*some\.test\.mjs:4 skipped: no moon tonight$/));
    expect(lines).toContainEqual(expect.stringMatching(/^skipped: 2 tests of .*some\.test\.mjs: no sun today$/));
  });

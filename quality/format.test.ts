import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import * as prettier from 'prettier';
import { filesOf, root } from './sources.ts';

test('every file is formatted', { tag: '@long' }, async () => {
  const unformatted: string[] = [];
  for (const file of filesOf('.ts', '.js', '.json', '.yaml')) {
    const path = join(root, file);
    const { ignored } = await prettier.getFileInfo(path, { ignorePath: join(root, '.prettierignore') });
    if (ignored) continue;
    const options = await prettier.resolveConfig(path);
    if (!(await prettier.check(await readFile(path, 'utf8'), { ...options, filepath: path }))) unformatted.push(file);
  }
  expect(unformatted, `\`npm run format\` fixes these files:\n${unformatted.join('\n')}`).toEqual([]);
});

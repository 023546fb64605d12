import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { KITS, templatePath } from '../init/kits.ts';
import { scaleproof, scaleproofHere } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';

const NAMES = KITS.map(({ name }) => name);

/** Every file below a folder, by path and text. */
function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

for (const kit of KITS) {
  test(`init ${kit.name}: writes its files, lists them and the next steps, and never overwrites files`, async ({}, testInfo) => {
    const out = join(folderWith(testInfo), 'deeper', 'out');
    const { code, stdout, stderr } = await scaleproofHere(['init', kit.name, '--out', out]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(filesIn(out)).toEqual(Object.fromEntries(kit.files.map((file) => [file.to, readFileSync(templatePath(file), 'utf8')])));
    expect(stdout.split('\n')).toEqual([
      ...kit.files.map(({ to }) => `wrote ${join(out, to)}`),
      '',
      'Next:',
      ...kit.next.map((text, index) => `${index + 1}. ${text}`),
      '',
    ]);

    const [first] = kit.files;
    const mine = join(out, first?.to ?? '');
    writeFileSync(mine, 'mine');
    const again = await scaleproofHere(['init', kit.name, '--out', out]);
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/already exists?, and nothing was written.*--force\n$/),
    });
    expect(again.stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(mine, 'utf8')).toBe('mine');

    const forced = await scaleproofHere(['init', kit.name, '--out', out, '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toEqual({ kit: kit.name, files: kit.files.map(({ to }) => join(out, to)), next: kit.next });
    expect(readFileSync(mine, 'utf8')).not.toBe('mine');
  });
}

test('if one file exists, nothing is written', async ({}, testInfo) => {
  const folder = folderWith(testInfo, { 'conformance.spec.ts': 'mine' });
  const { code, stderr } = await scaleproofHere(['init', 'playwright', '--out', folder]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${join(folder, 'conformance.spec.ts')} already exists`) });
  expect(filesIn(folder)).toEqual({ 'conformance.spec.ts': 'mine' });
});

test('a broken link is not followed', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'dashboard.json'));
  expect((await scaleproofHere(['init', 'grafana', '--out', folder])).code).toBe(2);
  expect(readdirSync(folder)).toEqual(['dashboard.json']);
});

test('if a folder can not be created, the error says why', async ({}, testInfo) => {
  const folder = folderWith(testInfo, { file: '' });
  const { code, stderr } = await scaleproofHere(['init', 'grafana', '--out', join(folder, 'file')]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/can't be written: E/) });
  mkdirSync(join(folder, 'dashboard.json'));
  expect((await scaleproofHere(['init', 'grafana', '--out', folder, '--force'])).code).toBe(2);
});

test('the error for an unknown name lists the known ones', async () => {
  for (const args of [[], ['jenkins'], ['toString']]) {
    const { code, stderr } = await scaleproofHere(['init', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(NAMES.join(', ')) });
  }
  expect((await scaleproofHere(['init', 'promethus'])).stderr).toContain('did you mean prometheus?');
});

test('without --out each kit has its own folder in the working directory', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  expect(await scaleproof(['init', 'grafana'], folder)).toMatchObject({ code: 0, stderr: '' });
  expect(await scaleproof(['init', 'github-actions'], folder)).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(filesIn(folder)).sort()).toEqual(['.github/workflows/scaleproof.yaml', 'scaleproof-grafana/dashboard.json']);
});

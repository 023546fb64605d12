import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { KITS } from '../init/kits.ts';
import type { Kit, Settings } from '../init/kits.ts';
import { renderKit } from '../init/render.ts';
import { scaleproofHere } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';

const NAMES = KITS.map(({ name }) => name);

/** Every file below a folder, by path and text. */
function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

/** Settings with which each kit can be written, and the flags that give them. */
function settingsFor({ settings }: Kit): { given: Settings; flags: string[] } {
  const all = { target: './target.yaml', baseline: 'karpenter@1.14.0', manifests: 'deploy/' };
  const given = Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(settings, name)));
  return { given, flags: Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]) };
}

for (const kit of KITS) {
  test(`init ${kit.name}: writes its files, lists them and the next steps, and never overwrites files`, async ({}, testInfo) => {
    const out = join(folderWith(testInfo), 'deeper', 'out');
    const { given, flags } = settingsFor(kit);
    const { code, stdout, stderr } = await scaleproofHere(['init', kit.name, ...flags, '--out', out]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const files = renderKit(kit, given);
    expect(filesIn(out)).toEqual(Object.fromEntries(files.map(({ to, text }) => [to, text])));
    expect(stdout.split('\n')).toEqual([
      ...files.map(({ to }) => `wrote ${join(out, to)}`),
      ...(given.target === undefined ? [] : [expect.stringMatching(/^tests \.\/target\.yaml/)]),
      '',
      'Next:',
      ...kit.next.map((text, index) => `${index + 1}. ${text}`),
      '',
    ]);

    const [first] = files;
    const mine = join(out, first?.to ?? '');
    writeFileSync(mine, 'mine');
    const again = await scaleproofHere(['init', kit.name, ...flags, '--out', out]);
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/already exists?, and nothing was written.*--force\n$/),
    });
    expect(again.stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(mine, 'utf8')).toBe('mine');

    const forced = await scaleproofHere(['init', kit.name, ...flags, '--out', out, '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toEqual({ kit: kit.name, ...given, files: files.map(({ to }) => join(out, to)), next: kit.next });
    expect(readFileSync(mine, 'utf8')).not.toBe('mine');
  });
}

test('if one file exists, nothing is written', async ({}, testInfo) => {
  const folder = folderWith(testInfo, { 'conformance.spec.ts': 'mine' });
  const { code, stderr } = await scaleproofHere(['init', 'playwright', '--target', 'plain', '--out', folder]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${join(folder, 'conformance.spec.ts')} already exists`) });
  expect(filesIn(folder)).toEqual({ 'conformance.spec.ts': 'mine' });
});

test('a broken link is not followed', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'dashboard.json'));
  expect((await scaleproofHere(['init', 'grafana', '--out', folder])).code).toBe(2);
  expect(readdirSync(folder)).toEqual(['dashboard.json']);
});

test('if a folder cannot be created, the error says why', async ({}, testInfo) => {
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
  expect(await scaleproofHere(['init', 'grafana'], folder)).toMatchObject({ code: 0, stderr: '' });
  expect(await scaleproofHere(['init', 'github-actions', '--target', 'karpenter@1.14.1'], folder)).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(filesIn(folder)).sort()).toEqual(['.github/workflows/scaleproof.yaml', 'scaleproof-grafana/dashboard.json']);
});

const TESTING = KITS.filter(({ settings }) => Object.hasOwn(settings, 'target'));

test('a kit that tests nothing takes no target, and every other one demands it and says what to pass', async ({}, testInfo) => {
  expect(TESTING.map(({ name }) => name)).toEqual(['argo', 'flagger', 'github-actions', 'playwright']);
  const folder = folderWith(testInfo);
  for (const kit of KITS) {
    const target = TESTING.includes(kit) ? [] : ['--target', 'karpenter@1.14.1'];
    const { code, stdout, stderr } = await scaleproofHere(['init', kit.name, ...target, '--out', join(folder, kit.name)]);
    const says = TESTING.includes(kit)
      ? /--target karpenter@1\.14\.1, .*--target reference tests Scaleproof's bundled autoscaler, not yours\n$/
      : /has no use for --target/;
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  }
  expect(filesIn(folder)).toEqual({});
});

test('a gate without a baseline is refused for a kit whose gate needs it', async ({}, testInfo) => {
  for (const name of ['argo', 'flagger']) {
    const args = ['init', name, '--target', 'karpenter@1.14.1', '--out', folderWith(testInfo)];
    expect(await scaleproofHere(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--baseline karpenter@1.14.0') });
  }
});

test('settings that are wrong, or that could mean something else in the files, are refused', async ({}, testInfo) => {
  const out = join(folderWith(testInfo), 'out');
  for (const [flags, says] of [
    [['--target', 'refrence'], 'did you mean reference?'],
    [['--target', 'karpenter@'], 'karpenter@'],
    [['--target', "x' || secrets.TOKEN || '"], 'in these files it can have'],
    [['--target', './${{ secrets.TOKEN }}'], 'in these files it can have'],
    [['--target', './a.yaml', '--manifests', '$(id)'], '--manifests'],
    [['--target', './a.yaml', '--baseline', './a.yaml'], 'name two versions'],
    [['--target', ''], '--target'],
  ] as const)
    expect(await scaleproofHere(['init', 'github-actions', ...flags, '--out', out])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(says),
    });
  expect(readdirSync(join(out, '..'))).toEqual([]);
});

for (const kit of TESTING) {
  test(`init ${kit.name}: a bundled target is warned of, and each file about it begins with that`, async ({}, testInfo) => {
    const out = folderWith(testInfo);
    const baseline = Object.hasOwn(kit.settings, 'baseline') ? ['--baseline', 'plain'] : [];
    const args = ['init', kit.name, '--target', 'mutant:ignored-capacity-errors', ...baseline, '--out', out];
    const { code, stderr } = await scaleproofHere(args);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^warning: this tests mutant:ignored-capacity-errors.* bundled with Scaleproof/),
    });
    const about = Object.entries(filesIn(out)).filter(([, text]) => text.includes('mutant:ignored-capacity-errors'));
    expect(about.length).toBeGreaterThan(0);
    for (const [path, text] of about) {
      const top = text.split('\n').slice(0, 6).join('\n');
      expect.soft(top, path).toContain('(bundled with Scaleproof, not yours)');
      expect.soft(top, path).toContain('WARNING: this tests mutant:ignored-capacity-errors');
    }
  });
}

test('a target of your own is not warned of, but a bundled baseline is', async ({}, testInfo) => {
  const args = ['init', 'github-actions', '--target', 'karpenter@1.14.1', '--out', folderWith(testInfo), '--force'];
  expect(await scaleproofHere(args)).toMatchObject({ code: 0, stderr: '' });
  const { stderr } = await scaleproofHere([...args, '--baseline', 'reference']);
  expect(stderr).toMatch(/^warning: the baseline is reference, /);
});

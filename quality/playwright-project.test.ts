import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { scaleproofHere } from '../cli/testing/command.ts';
import { exitWith, install, pack } from './testing/packed.ts';
import { root } from './sources.ts';

/** Compiler options as strict as users' projects. */
const TSC = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--allowImportingTsExtensions',
  '--skipLibCheck',
];

/** Outside the clone, so that the installed package does not find the clone's packages. */
let folder = '';
let project = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-playwright-'));
  project = join(folder, 'project');
});
test.afterEach(() => rmSync(folder, { recursive: true }));

/** @returns what Playwright printed, without colours */
async function playwright(code: number, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const all = ['--no', 'playwright', 'test', '--workers=2', ...args];
  return stripVTControlCharacters(await exitWith(code, 'npx', all, project, environment));
}

test(
  'the project that init writes for Playwright, with the packed package, passes, and reports a planted bug',
  { tag: '@long' },
  async () => {
    test.setTimeout(1_800_000);

    await test.step('install both', async () => {
      expect(await scaleproofHere(['init', 'playwright', '--target', 'reference', '--out', project])).toMatchObject({ code: 0 });
      const { devDependencies } = versionsOf(join(project, 'package.json'));
      expect(devDependencies).toEqual({ '@playwright/test': versionsOf(join(root, 'package.json')).devDependencies['@playwright/test'] });
      await install(project, await pack(folder));
      expect(existsSync(join(project, 'node_modules/@playwright/test'))).toBe(true);
    });

    await test.step('its types compile', async () => {
      const files = readdirSync(project).filter((name) => name.endsWith('.ts'));
      // Without Node's types: a project of this kind does not have them.
      const typesOfNode = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      await exitWith(0, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...TSC, ...typesOfNode, ...files], project);
    });

    await test.step('--list, --grep and --shard choose among its tests', async () => {
      const all = testsIn(await playwright(0, ['--list']));
      expect(all).toContainEqual(expect.stringContaining('mine/release: a release over all zones while one has no capacity, seed 3'));
      expect(testsIn(await playwright(0, ['--list', '--grep', 'crashes/'])).every((line) => line.includes('crashes/'))).toBe(true);
      // One after the other: --list also replaces the HTML report, and two at once would remove each other's files.
      const shards = [await playwright(0, ['--list', '--shard=1/2']), await playwright(0, ['--list', '--shard=2/2'])];
      expect(shards.flatMap(testsIn).sort()).toEqual([...all].sort());
    });

    await test.step('all of it passes with the reference', async () => {
      expect(await playwright(0, [])).toMatch(/\d+ passed/);
      expect(existsSync(join(project, 'playwright-report/index.html'))).toBe(true);
    });

    await test.step('a shard of it runs', async () => {
      expect(await playwright(0, ['--grep', 'mine/', '--shard=1/3'])).toMatch(/1 passed/);
    });

    await test.step('a planted bug fails with its finding and its replay line, and the attachments are there', async () => {
      const wrong = { TARGET: 'mutant:swallowed-topology-error' };
      const printed = await playwright(1, ['--grep', 'negative-max-skew'], wrong);
      expect(printed).toContain('pod-not-served pods/default/healthy-');
      expect(printed).toMatch(/bound: {3}provision of the check success-rate/);
      const [, replay = ''] = /replay: {2}npx scaleproof replay (sp1\S+)/.exec(printed) ?? [];
      const attached = [...printed.matchAll(/^ *(test-results\/\S+\/attachments\/\S+)$/gm)].map(([, path = '']) => join(project, path));
      expect(attached).toHaveLength(2);
      expect(attached.filter((path) => !existsSync(path))).toEqual([]);
      expect(await exitWith(1, 'npx', ['--no', 'scaleproof', 'replay', replay], project)).toContain('pod-not-served');
    });

    await test.step('so does its own scenario, with the bug that the README names', async () => {
      const printed = await playwright(1, ['--grep', 'mine/release.*seed 1'], { TARGET: 'mutant:ignored-capacity-errors' });
      expect(printed).toContain('refused-offering-asked-again ec2:CreateFleet');
    });

    await test.step('a target that is a program runs in real time, which may take minutes', async () => {
      const printed = await playwright(0, ['--grep', 'leaves no instance'], { TARGET: './autoscaler.yaml' });
      expect(printed).toMatch(/1 passed/);
    });
  },
);

/** The lines of `--list` that name a test. */
function testsIn(printed: string): string[] {
  return printed.split('\n').filter((line) => line.includes(' › '));
}

function versionsOf(path: string): { readonly devDependencies: Readonly<Record<string, string>> } {
  return z.looseObject({ devDependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync(path, 'utf8')));
}

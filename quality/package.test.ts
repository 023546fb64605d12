import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { root } from './sources.ts';
import { finishWith, install, pack, succeed } from './testing/packed.ts';

/** Files that users need in addition to the code. */
const NEEDED = [
  'LICENSE',
  'README.md',
  'bin/reference-controller.js',
  'bin/scaleproof.js',
  'dist/cli/main.js',
  'dist/controller/main.js',
  'dist/harness/child.js',
  'dist/harness/rehearsal.js',
  'dist/harness/watcher.js',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/playwright/index.d.ts',
  'dist/playwright/index.js',
  'dist/targets/command/keeper.js',
  'docs/architecture.md',
  'docs/fidelity.md',
  'docs/targets.md',
  'docs/write-your-own.md',
  'fixtures/data/instance-types.us-east-1.json',
  'fixtures/examples/targets/reference.yaml',
  'kind-config.yaml',
  'package.json',
  'schemas/matrix.v1.json',
  'schemas/report.v1.json',
];

/** As strict as users' projects, and without Node's types. */
const TSCONFIG = {
  compilerOptions: { strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2024', noEmit: true, types: [] },
  files: ['my-scenario.ts'],
};

/** Outside the clone, so that the installed package does not find the clone's packages. */
let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-package-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test(
  'the packed package, installed into an empty project, runs a scenario of docs/write-your-own.md and checks it without its source',
  { tag: '@long' },
  async () => {
    // Takes two minutes on two idle cores, and five times as long on a busy machine.
    test.setTimeout(1_800_000);
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await test.step('pack it and install it', async () => install(project, await pack(folder)));

    await test.step('it has the needed files, and no tests', () => {
      const installed = join(project, 'node_modules/scaleproof');
      const files = readdirSync(installed, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
      expect(files).toEqual(expect.arrayContaining(NEEDED));
      // The tests in the example are meant for users.
      const own = files.filter((file) => !file.startsWith('fixtures/examples/'));
      expect(own.filter((file) => /\.(test|spec)\.|(^|\/)(testing|quality|bench|differential)\/|(?<!\.d)\.ts$/.test(file))).toEqual([]);
      // Only users' tests need it.
      expect(existsSync(join(project, 'node_modules/@playwright/test'))).toBe(false);
    });

    writeFileSync(join(project, 'my-scenario.ts'), scenarioOfPage());

    await test.step('its types compile in a strict project', async () => {
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
      await succeed(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', '.'], project);
    });

    await test.step('docs/write-your-own.md works as written, block by block', () => followPage(project));

    await test.step('the scenario runs, and can be checked when its source is gone', async () => {
      const run = await succeed('npx', ['--no', 'scaleproof', 'run', '--scenario', './my-scenario.ts', '--out', 'run'], project);
      expect(run).toContain('30 of 30 pods served');
      const report = readFileSync(join(project, 'run/report.json'), 'utf8');
      rmSync(join(project, 'my-scenario.ts'));
      rmSync(join(project, 'run/report.json'));
      expect(await succeed('npx', ['--no', 'scaleproof', 'check', 'run'], project)).toBe(run);
      expect(readFileSync(join(project, 'run/report.json'), 'utf8')).toBe(report);
    });
  },
);

/** The code block for my-scenario.ts in docs/write-your-own.md. */
function scenarioOfPage(): string {
  const [, code] = /```ts\n(\/\/ my-scenario\.ts\n[^]*?)```/.exec(readFileSync(join(root, 'docs/write-your-own.md'), 'utf8')) ?? [];
  if (code === undefined) throw new Error('docs/write-your-own.md shows no my-scenario.ts');
  return code;
}

/**
 * Follows docs/write-your-own.md from top to bottom: writes the TypeScript blocks that begin with a file name, runs the commands
 * that state an exit code, and expects the shown lines in the output of the last command.
 */
async function followPage(project: string): Promise<void> {
  const page = readFileSync(join(root, 'docs/write-your-own.md'), 'utf8');
  let printed = '';
  for (const [, language = '', block = ''] of page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    const [, name] = /^\/\/ (\S+\.ts)\n/.exec(block) ?? [];
    if (language === 'ts' && name !== undefined) writeFileSync(join(project, name), block);
    if (language === 'text') for (const line of block.trim().split('\n')) expect(squeezed(printed)).toContain(squeezed(line));
    if (language !== 'sh') continue;
    for (const [, command = '', code] of block.matchAll(/^npx (.+) # exit (\d)$/gm)) {
      const { stdout, stderr } = await finishWith(Number(code), 'npx', ['--no', ...command.split(' ')], project);
      printed = `${stdout}\n${stderr}`;
    }
  }
}

/** Removes differences in table widths and line breaks. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

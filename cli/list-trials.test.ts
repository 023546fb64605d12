import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../model/package-root.ts';
import { scaleproofHere } from './testing/command.ts';
import { BURST, folderWith } from './testing/files.ts';

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly seeds: readonly number[];
  readonly notRun?: string;
  readonly crashPoints: boolean;
}

async function listed(...flags: string[]): Promise<Listed[]> {
  const { code, stdout, stderr } = await scaleproofHere(['run', '--list', '--json', ...flags]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Listed[];
}

const idsOf = (rows: readonly Listed[]): string[] => rows.map(({ id }) => id);

test('--list prints the trials with titles, seeds and why not, and writes nothing', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const scenarios = ['./burst.ts', 'scheduling/spot-spread', 'provisioning/small-scale-out-and-back'];
  const flags = ['--target', 'plain', '--seed', '5', '--trials', '3', ...scenarios.flatMap((name) => ['--scenario', name])];
  const { code, stdout } = await scaleproofHere(['run', '--list', ...flags], cwd);
  expect(code).toBe(0);
  const words = stdout.replaceAll(/\s+/g, ' ');
  expect(words).toContain('mine/burst five pods at once seeds 5-7 ');
  expect(words).toContain('not run: target plain does not have the feature spot');
  expect(words).toContain('seeds 5-7, and crash points');
  expect(words).toContain('6 trials of 2 scenarios with plain, and crash points, which are counted during the run; 1 scenario not run.');
  expect(readdirSync(cwd)).toEqual(['burst.ts']);

  const asJson = await scaleproofHere(['run', '--list', '--json', ...flags], cwd);
  const rows = JSON.parse(asJson.stdout) as Listed[];
  expect(rows).toMatchObject([
    { id: 'mine/burst', title: 'five pods at once', suite: 'user', profile: 'core', seeds: [5, 6, 7], crashPoints: false },
    { id: 'scheduling/spot-spread', seeds: [5, 6, 7], notRun: 'target plain does not have the feature spot' },
    { id: 'provisioning/small-scale-out-and-back', seeds: [5, 6, 7], crashPoints: true },
  ]);
  expect(rows[0]).not.toHaveProperty('notRun');
});

test('--list of a shard has only its own trials', async () => {
  const all = ['--suite', 'provisioning', '--trials', '2'];
  const shards = [await listed(...all, '--shard', '1/2'), await listed(...all, '--shard', '2/2')];
  const trialsOf = (rows: readonly Listed[]): string[] => rows.flatMap(({ id, seeds }) => seeds.map((seed) => `${id} ${seed}`)).sort();
  expect(shards.flatMap(trialsOf).sort()).toEqual(trialsOf(await listed(...all)));
});

test('--grep and --grep-invert match id and title, and everything given has to match', async () => {
  expect(idsOf(await listed('--grep', '^scheduling/spot-spread fifty pods'))).toEqual(['scheduling/spot-spread']);
  const spot = idsOf(await listed('--grep', 'spot'));
  const without = idsOf(await listed('--grep', 'spot', '--grep-invert', '^interruption/'));
  expect(without.length).toBeGreaterThan(0);
  expect(without).toEqual(spot.filter((id) => !id.startsWith('interruption/')));
  expect(without.length).toBeLessThan(spot.length);
  const inSuite = idsOf(await listed('--grep', 'spot', '--suite', 'scheduling', '--profile', 'extended'));
  expect(inSuite).toContain('scheduling/spot-spread');
  for (const id of inSuite) expect(id).toMatch(/^scheduling\//);
  const named = ['--scenario', 'scheduling/spot-spread', '--scenario', 'provisioning/two-cycles'];
  expect(idsOf(await listed(...named, '--grep', 'cycles'))).toEqual(['provisioning/two-cycles']);
});

const shop = join(packageRoot(), 'fixtures/examples/manifests/shop');

test('a scenario over manifests is named by their directory and its id', async () => {
  const named = ['no-spot', 'zone-outage'].flatMap((id) => ['--scenario', `${shop}#manifests/${id}`]);
  expect(idsOf(await listed(...named))).toEqual(['manifests/no-spot', 'manifests/zone-outage']);
  const beside = await scaleproofHere(['run', '--list', ...named, '--scenario', 'scheduling/spot-spread']);
  expect(beside).toMatchObject({
    code: 2,
    stderr: `scaleproof: ${shop}#manifests/no-spot is over manifests, so scheduling/spot-spread can't run beside it; choose one of them\n`,
  });
  const unknown = await scaleproofHere(['run', '--list', '--scenario', `${shop}#manifests/nothing`]);
  expect(unknown.stderr).toContain('no scenario over manifests is named "manifests/nothing"; there are: ');
});

test('patterns also choose among the scenarios over manifests', async () => {
  expect(idsOf(await listed('--manifests', shop, '--grep', 'spot'))).toEqual(['manifests/no-spot', 'manifests/spot-interruption']);
});

for (const [line, says] of [
  ['run --grep (', '--grep "(" is not a JavaScript regular expression: Unterminated group'],
  ['run --grep-invert [', '--grep-invert "[" is not a JavaScript regular expression: Unterminated character class'],
  ['run --list --grep nothing-like-it', 'these flags select no scenario'],
  ['compare reference plain --grep nothing-like-it', 'these flags select no scenario'],
  ['gate --baseline reference --candidate plain --grep nothing-like-it', 'these flags select no scenario'],
] as const) {
  test(`refused: ${line}`, async () => {
    const { code, stdout, stderr } = await scaleproofHere(line.split(' '));
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `scaleproof: ${says}\n` });
  });
}

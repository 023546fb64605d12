import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { resolveBounds } from '../harness/bounds.ts';
import { FORMER_BOUNDS, FORMER_MUTANTS, FORMER_SCENARIOS } from '../model/former-names.ts';
import { packageRoot } from '../model/package-root.ts';
import { parseRunFacts } from '../reports/report-input.ts';
import { runReportSchema } from '../reports/run-report.ts';
import { sources } from '../suites/catalogue.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { reference } from '../targets/reference.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { chooseScenarios, chooseTarget } from './choose.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

/** What users have from version 0.1.0 still works: run directories, replay lines, names, and scenarios of their own. */

const RECORDED = join(packageRoot(), 'fixtures/recordings/0.1.0');

/** As in the documentation of version 0.1.0. */
const SPREAD_ROLLOUT = `\
import { faults, pool, scenario, specify } from 'scaleproof';

const pools = [pool('default', { instanceTypes: ['m5.large', 'c5.large', 'r5.large'] })];
const overZones = { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' } as const;

export const rollout = scenario({
  id: 'mine/spread-rollout',
  title: 'a release over all zones while one has no capacity',
  capabilities: ['capacity.set'],
  pools,
  async run(t) {
    const outage = await t.inject(specify(faults.insufficientCapacity, { zones: ['us-east-1b'], errors: 'one' }));
    const web = await t.deploy({ name: 'web', replicas: 8, cpu: '1', memory: '2Gi', spread: [overZones] });
    t.expect.served(web, 'fallback');
    await t.untilServed(web, 'fallback');
    await outage.heal();
  },
});
`;

/** A folder with `old`: a run of `promises/not-looked-at` on `mutant:held-back-pods`, as version 0.1.0 wrote it. */
function withOldRun(testInfo: TestInfo, files: Readonly<Record<string, string>> = {}): string {
  const folder = folderWith(testInfo, files);
  mkdirSync(join(folder, 'old', 'histories'), { recursive: true });
  for (const name of readdirSync(RECORDED)) {
    const path = name === 'run.json.gz' ? 'run.json' : join('histories', name.replace(/\.gz$/, ''));
    writeFileSync(join(folder, 'old', path), gunzipSync(readFileSync(join(RECORDED, name))));
  }
  return folder;
}

test('a run directory is judged as it was, under the names of now', async ({}, testInfo) => {
  const cwd = withOldRun(testInfo);
  const checked = await scaleproofHere(['check', 'old'], cwd);
  expect(checked.code, checked.stderr).toBe(1);
  expect(checked.stdout).toContain('FAIL scheduling/gated-pods seed 1');
  expect(checked.stdout).toContain('launch-for-impossible-pod');
  expect(checked.stdout).not.toContain('FAIL promises/not-looked-at');
  const report = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'old', 'report.json'), 'utf8')));
  expect(report.scenarios.map(({ id }) => id)).toEqual(['scheduling/gated-pods']);
});

test('its replay line fails in the same way', async ({}, testInfo) => {
  const cwd = withOldRun(testInfo);
  const text = gunzipSync(readFileSync(join(RECORDED, 'run.json.gz'))).toString();
  const raw = text.match(/sp1,scenario=promises\/not-looked-at@[^"]*/)?.[0] ?? '';
  const replayed = await scaleproofHere(['replay', raw, '--out', 'replayed'], cwd);
  expect(replayed.code, replayed.stderr).toBe(1);
  expect(replayed.stderr).toContain('warning: the source of scheduling/gated-pods has changed');
  expect(replayed.stdout).toContain('launch-for-impossible-pod');
  const run = parseRunFacts(readFileSync(join(cwd, 'replayed', 'run.json'), 'utf8'), 'run.json');
  expect(run.planned).toMatchObject([
    { scenario: 'scheduling/gated-pods', replay: expect.stringContaining('mutant:launches-for-gated-pods') },
  ]);
});

test(
  'compared with a run of now, they have the same names, and only the changed source is in the way',
  { tag: '@long' },
  async ({}, testInfo) => {
    const cwd = withOldRun(testInfo);
    const run = await scaleproofHere(
      ['run', '--scenario', 'promises/not-looked-at', '--target', 'mutant:held-back-pods', '--out', 'new'],
      cwd,
    );
    expect(run.code, run.stderr).toBe(1);
    const compared = await scaleproofHere(['compare', 'old', 'new', '--scenario', 'promises/not-looked-at', '--out', 'compared'], cwd);
    expect(compared.code, compared.stderr).toBe(3);
    expect(JSON.parse(readFileSync(join(cwd, 'compared', 'compare.json'), 'utf8'))).toMatchObject({
      sides: [{ target: 'mutant:launches-for-gated-pods' }, { target: 'mutant:launches-for-gated-pods' }],
      leftOut: [{ scenario: 'scheduling/gated-pods', seeds: [1], why: expect.stringContaining('source') }],
    });
  },
);

test('old names choose what they did: scenarios, suites, targets', async () => {
  const idsOf = async (choice: { suites?: string[]; scenarios?: string[] }): Promise<string[]> => {
    const chosen = await chooseScenarios({ suites: [], scenarios: [], ...choice });
    return chosen.map(({ scenario }) => scenario.id);
  };
  expect(await idsOf({ scenarios: ['incidents/ghost-node', 'disruption/ghost-node'] })).toEqual(['disruption/ghost-node']);
  expect((await idsOf({ suites: ['incidents'] })).length).toBe(10);
  expect((await idsOf({ suites: ['others', 'promises'] })).length).toBe(10);
  expect(chooseTarget('mutant:roofless-masks:quick').label).toBe('mutant:unbounded-offering-backoff:quick');
  expect(chooseTarget('reference+mutant:any-cluster').label).toBe('reference+mutant:collects-other-clusters');
});

test('every new name exists, no old one does, and the changelog has them all', () => {
  const { constants } = reference;
  const boundNames = new Set<string>(Object.keys(resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 })));
  const names = {
    scenarios: { now: new Set(sources.map(({ scenario }) => scenario.id)), former: FORMER_SCENARIOS },
    mutants: { now: new Set(mutants.map(({ target }) => target.name.replace('mutant:', ''))), former: FORMER_MUTANTS },
    bounds: { now: boundNames, former: FORMER_BOUNDS },
  };
  const changelog = readFileSync(join(packageRoot(), 'CHANGELOG.md'), 'utf8');
  for (const { now, former } of Object.values(names)) {
    expect(Object.values(former).filter((name) => !now.has(name))).toEqual([]);
    expect(Object.keys(former).filter((name) => now.has(name))).toEqual([]);
    expect(
      Object.entries(former)
        .flat()
        .filter((name) => !changelog.includes(`\`${name}\``)),
    ).toEqual([]);
    expect(new Set(Object.values(former)).size).toBe(Object.keys(former).length);
  }
});

test('a scenario of a user runs and finds what it found', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'spread-rollout.ts': SPREAD_ROLLOUT });
  expect((await scaleproofHere(['run', '--scenario', './spread-rollout.ts', '--out', 'spread'], cwd)).code).toBe(0);
  const caught = await scaleproofHere(
    ['run', '--scenario', './spread-rollout.ts', '--target', 'mutant:unmasked-offerings', '--out', 'caught'],
    cwd,
  );
  expect(caught.code).toBe(1);
  expect(caught.stdout).toContain('refused-offering-asked-again');
});

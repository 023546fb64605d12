import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { digestOf } from '../harness/load.ts';
import { parseReplayLine } from '../harness/replay-line.ts';
import { planTrials } from '../harness/run.ts';
import { packageRoot } from '../model/package-root.ts';
import { runReportSchema } from '../reports/run-report.ts';
import { readReport } from '../reports/testing/read-report.ts';
import { chooseRecorded } from './choose-recorded.ts';
import { chooseTarget } from './choose.ts';
import { selectScenarios } from './manifests.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const SHOP = join(packageRoot(), 'fixtures/examples/manifests/shop');
const MANIFESTS = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: none}\n';

const GAP = 'Deployment shop/recommendations: it CANNOT BE SERVED by these pools, even without faults: it requests nvidia.com/gpu, ';
function only<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined || all.length > 1) throw new Error(`there are ${all.length}`);
  return one;
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

test(
  "the fault library with a user's manifests: every scenario passes, unservable workloads are named",
  { tag: '@long' },
  async ({}, testInfo) => {
    test.slow();
    const cwd = folderWith(testInfo);
    cpSync(SHOP, join(cwd, 'shop'), { recursive: true });
    const { code, stdout, stderr } = await scaleproofHere(['run', '--manifests', 'shop', '--out', 'out'], cwd);
    expect(code, stdout + stderr).toBe(0);
    expect(inOneLine(stdout)).toContain(
      `1 of 4 workloads in ./shop is not shown to be served; with --strict, such a run does not pass ${GAP}`,
    );
    expect(stderr).toContain('manifests of shop: 2 node pools, 4 workloads, 3 other objects\n');
    expect(stderr).toMatch(
      /Deployment shop\/recommendations: it CANNOT BE SERVED by these pools.*\n +it requests nvidia\.com\/gpu, .*\n +\(recommendations\.yaml, document 1/,
    );
    const report = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'out/report.json'), 'utf8')));
    expect(report.scenarios.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(
      [
        'fault-free',
        'idle-nodes',
        'killed-at-side-effect',
        'lost-launch-answers',
        'no-spot',
        'pools-withdrawn',
        'slow-kubelets',
        'spot-interruption',
        'throttled-launches',
        'zone-outage',
      ].map((name) => `manifests/${name} pass`),
    );
    expect(readReport(join(cwd, 'out/report.html'))).toContain('CANNOT BE SERVED');
  },
);

for (const { targets, applied } of [
  { targets: ['karpenter@1.14.1'], applied: true },
  { targets: ['karpenter@1.14.0', 'karpenter@1.14.1'], applied: true },
  { targets: ['reference', 'karpenter@1.14.1'], applied: false },
  { targets: ['plain'], applied: false },
]) {
  test(`classes are ${applied ? 'applied' : 'ignored'} with ${targets.join(' and ')}`, async () => {
    const { chosen } = await selectScenarios({ suites: [], scenarios: [], manifests: SHOP }, targets.map(chooseTarget));
    const [scenario] = chosen.map((one) => one.scenario);
    expect(scenario?.pools.map(({ nodeClass }) => nodeClass?.name)).toEqual(applied ? ['default', 'default'] : [undefined, undefined]);
    expect(scenario?.needs.features.includes('node-classes')).toBe(applied);
  });
}

for (const { targets, applied } of [
  { targets: ['karpenter@1.14.1'], applied: true },
  { targets: ['reference', 'karpenter@1.14.1'], applied: false },
]) {
  test(`a replay ${applied ? 'applies' : 'ignores'} classes like the trial with ${targets.join(' and ')}`, async () => {
    const choice = { suites: [], scenarios: [], manifests: SHOP, grep: /fault-free/ };
    const { chosen } = await selectScenarios(choice, targets.map(chooseTarget));
    const [trial] = await planTrials(only(chosen), chooseTarget('karpenter@1.14.1'), [1]);
    const line = parseReplayLine(trial?.replay ?? '');
    const recorded = await chooseRecorded(line.scenario);
    expect(recorded).toEqual(only(chosen));
    expect((await digestOf(recorded.ref.module)).startsWith(line.scenarioDigest)).toBe(true);
    expect(recorded.scenario.pools.some(({ nodeClass }) => nodeClass !== undefined)).toBe(applied);
    // The same by its name, with another target: then it is not run.
    const named = await selectScenarios({ suites: [], scenarios: [line.scenario], manifests: undefined }, [chooseTarget('reference')]);
    expect(only(named.chosen).scenario.needs.features.includes('node-classes')).toBe(applied);
  });
}

for (const { targets, says } of [
  { targets: ['karpenter@1.14.1'], says: undefined },
  {
    targets: ['reference', 'karpenter@1.14.1'],
    says: 'since reference does not apply classes, and all sides have to run the same',
  },
  {
    targets: ['plain', 'reference', 'reference'],
    says: 'since plain and reference do not apply classes; targets with the feature node-classes apply them, such as karpenter@VERSION',
  },
]) {
  test(`a note says why classes are ignored with ${targets.join(' and ')}`, async () => {
    let printed = '';
    const print = (text: string): void => void (printed += text);
    const console = { out: print, err: print, interactive: false, color: false, columns: 80 };
    await selectScenarios({ suites: [], scenarios: [], manifests: SHOP }, targets.map(chooseTarget), console);
    const lines = printed.split('\n').filter((line) => line.includes('EC2NodeClasses are ignored'));
    expect(lines).toEqual(says === undefined ? [] : [`  note: EC2NodeClasses are ignored, ${says}`]);
  });
}

test('a scenario with classes applied is another one than with classes ignored', async () => {
  const digests = ['karpenter@1.14.1', 'reference'].map(async (target) => {
    const { chosen } = await selectScenarios({ suites: [], scenarios: [], manifests: SHOP }, [chooseTarget(target)]);
    return digestOf(only(chosen.slice(0, 1)).ref.module);
  });
  expect(new Set(await Promise.all(digests)).size).toBe(2);
});

test(
  'a run names the workloads that are not served, and fails with --strict; it can be checked and replayed',
  { tag: '@long' },
  async ({}, testInfo) => {
    const cwd = folderWith(testInfo);
    cpSync(SHOP, join(cwd, 'shop'), { recursive: true });
    const mix = ['--manifests', './shop/', '--scenario', 'manifests/fault-free', '--seed', '3'];
    const strict = await scaleproofHere(['run', ...mix, '--strict', '--verbose', '--out', 'a'], cwd);
    expect(strict.code, strict.stderr).toBe(1);
    expect(inOneLine(strict.stdout)).toContain(
      `1 of 4 workloads in ./shop is not shown to be served, which --strict does not accept ${GAP}`,
    );
    expect(strict.stdout).toContain('✗ FAIL');
    const report = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'a/report.json'), 'utf8')));
    expect(report).toMatchObject({ verdict: 'fail', totals: { trials: { passed: 1, failed: 0 } } });
    expect(report.run.manifests?.gaps).toMatchObject([{ workload: 'Deployment shop/recommendations', kind: 'unservable' }]);
    expect(readFileSync(join(cwd, 'a/junit.xml'), 'utf8')).toContain(`<failure message="${GAP}`);
    expect((await scaleproofHere(['check', 'a'], cwd)).code, 'the run was strict').toBe(1);
    const failed = await scaleproofHere(['run', '--last-failed', 'a'], cwd);
    expect(failed.code, failed.stdout).toBe(2);
    expect(failed.stderr).toContain('no trial failed in a, but with --strict the run did: 1 of 4 workloads in ./shop');

    const line = /sp1,scenario=\.\/shop%23manifests\/fault-free@[0-9a-f]{12},\S*seed=3\S*/.exec(strict.stdout)?.[0] ?? '';
    const again = await scaleproofHere(['replay', line, '--out', 'b'], cwd);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).not.toContain('changed');
    expect(inOneLine(again.stdout)).not.toContain('which --strict does not accept');
    const history = 'histories/manifests.fault-free-seed-3.jsonl';
    expect(readFileSync(join(cwd, 'b', history), 'utf8')).toBe(readFileSync(join(cwd, 'a', history), 'utf8'));
    cpSync(join(SHOP, 'web.yaml'), join(cwd, 'shop/zz.json'));
    const changed = await scaleproofHere(['replay', line, '--out', 'c'], cwd);
    expect(changed.stderr).toMatch(/zz\.json, document 1 .* already exists/);
  },
);

test('a workload that is too large is told with the nearest node, at the end and on the page', async ({}, testInfo) => {
  test.slow();
  const cwd = folderWith(testInfo);
  for (const file of ['web.yaml', 'node-pools.yaml', 'log-agent.yaml']) cpSync(join(SHOP, file), join(cwd, 'shop', file));
  const large = JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'large', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'large' } },
      template: {
        metadata: { labels: { app: 'large' } },
        spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '500' } } }] },
      },
    },
  });
  writeFileSync(join(cwd, 'shop/large.json'), large);
  const run = ['run', '--manifests', 'shop', '--scenario', 'manifests/fault-free'];
  const gap =
    /Deployment shop\/large: it CANNOT BE SERVED by these pools, even without faults: pool \S+: it is too large: it requests 500 cpu, and a \S+ has \d+m? cpu for it, \d+m cpu taken by DaemonSets/;
  const passed = await scaleproofHere([...run, '--out', 'out'], cwd);
  expect(passed.code, passed.stderr).toBe(0);
  const end = inOneLine(passed.stdout);
  expect(end.slice(end.indexOf('1 of 3 workloads in ./shop is not shown to be served; with --strict'))).toMatch(gap);
  expect(end).toContain('✓ PASS');
  expect(inOneLine(readReport(join(cwd, 'out/report.html')))).toMatch(gap);
  const strict = await scaleproofHere([...run, '--strict', '--out', 'strict'], cwd);
  expect(strict.code, strict.stderr).toBe(1);
  expect(inOneLine(strict.stdout)).toMatch(/which --strict does not accept Deployment shop\/large: .*✗ FAIL/);
});

test('gate and compare run the scenarios over manifests, and name what is not served', { tag: '@long' }, async ({}, testInfo) => {
  test.slow();
  const cwd = folderWith(testInfo, {
    'quick.yaml': 'success: { p1: 0.5 }\nlatency: { quantile: 0.75 }\nepisodes: { first: 20, step: 20, max: 60 }\n',
  });
  cpSync(SHOP, join(cwd, 'shop'), { recursive: true });
  const mix = ['--manifests', './shop', '--scenario', 'manifests/fault-free'];
  const sides = ['--baseline', 'reference', '--candidate', 'reference'];
  const gate = await scaleproofHere(['gate', ...sides, ...mix, '--policy', 'quick.yaml', '--out', 'gate'], cwd);
  expect(gate.code, gate.stderr).toBe(0);
  expect(inOneLine(gate.stdout)).toContain(`note: ${GAP}`);
  const compare = await scaleproofHere(['compare', 'reference', 'mutant:kubelet-clock', ...mix, '--trials', '2', '--out', 'compared'], cwd);
  expect(compare.code, compare.stderr).toBe(0);
  expect(inOneLine(compare.stdout)).toContain('2 trials of 1 scenario that both sides have');
  for (const name of ['compare.md', 'compare.html', 'compare.json']) {
    expect(readFileSync(join(cwd, 'compared', name), 'utf8'), name).toContain('1 of 4 workloads in ./shop is not shown to be served');
  }
  expect(inOneLine(compare.stdout)).toContain(`1 of 4 workloads in ./shop is not shown to be served: ${GAP}`);
  const runs = ['--baseline', 'compared/A', '--candidate', 'compared/B'];
  const ofRuns = await scaleproofHere(['gate', ...runs, '--out', 'of-runs'], cwd);
  expect(inOneLine(ofRuns.stdout), ofRuns.stderr).toContain(`note: ${GAP}`);
  const strict = await scaleproofHere(['gate', ...runs, '--strict', '--out', 'strict'], cwd);
  expect(strict).toMatchObject({ code: 2, stderr: expect.stringContaining('--strict: 1 of 4 workloads in ./shop is not shown') });
});

for (const [what, flags, message] of [
  ['no directory', ['--manifests', './nowhere'], /nowhere does not exist; name the directory/],
  [
    'an unknown scenario',
    ['--manifests', SHOP, '--scenario', 'manifests/nothing'],
    /no scenario over manifests is named "manifests\/nothing"; there are: manifests\//,
  ],
  ['an empty name', ['--manifests', ''], /--manifests needs a directory/],
  ['with a suite', ['--manifests', SHOP, '--suite', 'capacity'], /leave out --suite/],
  ['with a profile', ['--manifests', SHOP, '--profile', 'core'], /leave out --suite and --profile/],
] as const) {
  test(`usage error: ${what}`, async () => {
    const { code, stderr } = await scaleproofHere(['run', ...flags]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
}

for (const [what, files, message] of [
  ['a directory without YAML', { 'notes.txt': 'x' }, /^scaleproof: \S+ holds no manifests: no file that ends in \.yaml/],
  [
    'a misspelt kind',
    { 'web.yaml': MANIFESTS.replace('Deployment', 'Deploymnet') },
    /web\.yaml, document 1 .*did you mean Deployment of apps\/v1\?/,
  ],
  ['nothing to serve', { 'web.yaml': '# nothing\n' }, /holds no workload: /],
] as const) {
  test(`usage error, found before the run: ${what}`, async ({}, testInfo) => {
    const { code, stderr } = await scaleproofHere(['run', '--manifests', folderWith(testInfo, files)]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
}

test('a strict gate refuses manifests with a workload that cannot be served', async () => {
  const sides = ['--baseline', 'reference', '--candidate', 'reference', '--strict'];
  const { code, stderr } = await scaleproofHere(['gate', ...sides, '--manifests', SHOP]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /--strict: 1 of 4 workloads in \S+ is not shown to be served: Deployment shop\/recommendations: it CANNOT BE SERVED/,
  );
  expect((await scaleproofHere(['gate', ...sides])).stderr).toContain('--strict requires --manifests');
});

test('a suspended CronJob has nothing to serve; a schedule is checked', async ({}, testInfo) => {
  const cron = (schedule: string): string =>
    JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'report' },
      spec: {
        schedule,
        suspend: true,
        jobTemplate: {
          spec: { template: { spec: { nodeSelector: { no: 'pool' }, restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
        },
      },
    });
  const folder = (name: string, schedule: string): string => {
    const path = join(folderWith(testInfo), name);
    for (const file of ['web.yaml', 'node-pools.yaml']) cpSync(join(SHOP, file), join(path, file));
    writeFileSync(join(path, 'cron.yaml'), cron(schedule));
    return path;
  };
  const good = await scaleproofHere(['run', '--list', '--manifests', folder('good', '*/15 * * * *')]);
  expect(good.code, good.stderr).toBe(0);
  expect(good.stderr).toContain('CronJob default/report: it is suspended, so it has no pods');
  expect(good.stderr).not.toContain('CANNOT BE SERVED');
  const bad = await scaleproofHere(['run', '--list', '--manifests', folder('bad', '0 3 * *')]);
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain('spec.schedule: Invalid value: "0 3 * *": expected exactly 5 fields, found 4: [0 3 * *]');
});

test('a broken link is a usage error', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  symlinkSync('nowhere', join(folder, 'web.yaml'));
  const { code, stderr } = await scaleproofHere(['run', '--manifests', folder]);
  expect(stderr).toMatch(/^scaleproof: \S+web\.yaml can't be read: it is a broken link/);
  expect(code).toBe(2);
});

test('a manifest that the API rejects is a usage error, with file, document and field', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'web.yaml': MANIFESTS });
  const { code, stderr } = await scaleproofHere(['run', '--manifests', cwd], cwd);
  expect(stderr).toMatch(/^scaleproof: web\.yaml, document 1 \(Deployment web\): the API rejects it: /);
  expect(code).toBe(2);
});

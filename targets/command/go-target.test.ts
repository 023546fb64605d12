import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { constantsWith } from '../cluster-autoscaler/constants.ts';
import { clusterAutoscalerTarget } from '../cluster-autoscaler/cluster-autoscaler.ts';
import { karpenterTarget } from '../karpenter/karpenter.ts';
import type { Target } from '../target.ts';
import { readCommandTarget } from './command-target.ts';
import { constantsOf, TargetFileError, parseTargetFile } from './target-file.ts';

const MODULE = {
  name: 'mine',
  go: { module: 'example.com/autoscaler', version: 'v1.2.3', package: './cmd/controller' },
  constants: { emptyAfter: '1m', termination: '35s' },
  pools: { as: 'karpenter' },
  ready: { http: 'http://127.0.0.1:${PORT}/readyz' },
};

function read(testInfo: TestInfo, file: object): Promise<Target> {
  const path = testInfo.outputPath('target.yaml');
  writeFileSync(path, JSON.stringify(file));
  return readCommandTarget(path);
}

test('a Go program is a target in virtual time, with heavy trials', async ({}, testInfo) => {
  const target = await read(testInfo, MODULE);
  expect(target).toMatchObject({ name: 'mine', cost: 'heavy', resources: ['nodeclaims'] });
  expect(target.time).toBeUndefined();
  expect(target.program).toMatchObject({ program: 'mine', version: 'v1.2.3', spec: { module: 'example.com/autoscaler' } });
});

for (const [what, change, says] of [
  ['a program that translates pools', { pools: { command: ['./pools'] } }, 'pools.command is for programs in real time'],
  ["the machine's Node.js", { environment: { A: '${NODE}' } }, '${NODE} is for programs on the machine'],
] as const) {
  test(`a Go program can't have ${what}`, async ({}, testInfo) => {
    await expect(read(testInfo, { ...MODULE, ...change })).rejects.toThrow(TargetFileError);
    await expect(read(testInfo, { ...MODULE, ...change })).rejects.toThrow(says);
  });
}

test('a program that applies classes needs one of its own, with what belongs to the cluster', async ({}, testInfo) => {
  const features = ['node-classes'];
  await expect(read(testInfo, { ...MODULE, features })).rejects.toThrow('the feature node-classes needs pools.nodeClass');
  const nodeClass = { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'own' }, spec: {} };
  expect((await read(testInfo, { ...MODULE, features, pools: { as: 'karpenter', nodeClass } })).features).toEqual(features);
});

test('a file with only a version of Karpenter is the same as the target of that name', async ({}, testInfo) => {
  const [own, named] = [await read(testInfo, { go: 'karpenter@1.14.1' }), karpenterTarget('1.14.1')];
  for (const field of ['name', 'features', 'constants', 'resources', 'memoryMiB', 'cost'] as const)
    expect(own[field]).toEqual(named[field]);
  expect(own.program?.spec).toEqual(named.program?.spec);
});

test('features and constants follow the settings, unless the file has its own', async ({}, testInfo) => {
  const go = 'karpenter@1.14.1';
  const named = karpenterTarget('1.14.1');
  expect(named.features).not.toContain('static-capacity');
  const set = await read(testInfo, {
    go,
    environment: { FEATURE_GATES: 'NodeRepair=true,StaticCapacity=true', BATCH_MAX_DURATION: '30s' },
    pools: { as: 'karpenter', consolidateAfter: '1m' },
    constants: { termination: '70s' },
  });
  expect(set.features).toEqual([...named.features, 'static-capacity']);
  expect(set.constants).toEqual({
    ...named.constants,
    batchMaxMs: 30_000,
    consolidateAfterMs: 60_000,
    emptyAfterMs: named.constants.emptyAfterMs + 30_000,
    consolidationMs: (named.constants.consolidationMs ?? 0) + 30_000,
    terminationMs: 70_000,
  });
  expect((await read(testInfo, { go, environment: { FEATURE_GATES: 'StaticCapacity=false' } })).features).toEqual(named.features);
  expect((await read(testInfo, { go, features: ['spot'] })).features).toEqual(['spot']);
});

test('gates are read as Karpenter reads them; a checkout may have its own', async ({}, testInfo) => {
  const featuresWith = async (gates: string): Promise<Target['features']> =>
    (await read(testInfo, { go: 'karpenter@mine', environment: { FEATURE_GATES: gates } })).features;
  const none = karpenterTarget('mine').features;
  expect(await featuresWith('')).toEqual(none);
  expect(await featuresWith('Own=true,staticcapacity=true')).toEqual(none);
  expect(await featuresWith(' StaticCapacity = true ,,SpotToSpotConsolidation=true')).toEqual([
    ...none,
    'static-capacity',
    'spot-consolidation',
  ]);
  expect(await featuresWith('StaticCapacity=true,StaticCapacity=false')).toEqual(none);
});

for (const [what, file, says] of [
  ['no version', { go: 'karpenter@1.14' }, 'go: "1.14" is not a full version'],
  [
    'another program',
    { go: 'autoscaler@1.0.0' },
    'go must be a version of a program, such as karpenter@1.14.1 or cluster-autoscaler@1.36.1, or a Go module',
  ],
  ['a readiness probe', { go: 'karpenter@1.14.1', ready: { delay: 0 } }, 'the file has no field ready'],
  ['a wrong variable', { go: 'karpenter@1.14.1', environment: { A: '${HOME}' } }, 'environment.A refers to ${HOME}'],
  [
    'a gate in lower case',
    { go: 'karpenter@1.14.1', environment: { FEATURE_GATES: 'ReservedCapacity=true,staticcapacity=true' } },
    'target.yaml: environment: FEATURE_GATES has no gate "staticcapacity", did you mean StaticCapacity? Known gates: NodeRepair, Reserved',
  ],
  ['an unknown gate', { go: 'karpenter@1.14.1', environment: { FEATURE_GATES: 'Other=true' } }, 'has no gate "Other"? Known gates:'],
  [
    'a gate that is neither on nor off',
    { go: 'karpenter@mine', environment: { FEATURE_GATES: 'StaticCapacity=yes' } },
    'FEATURE_GATES must set StaticCapacity to true or false, as in StaticCapacity=true, not to "yes"',
  ],
  [
    'a gate without a value',
    { go: 'karpenter@1.14.1', environment: { FEATURE_GATES: 'StaticCapacity' } },
    'FEATURE_GATES must set StaticCapacity to true or false, as in StaticCapacity=true',
  ],
  [
    'two batch windows that are no durations',
    { go: 'karpenter@1.14.1', environment: { BATCH_MAX_DURATION: '30 s', BATCH_IDLE_DURATION: 1 } },
    'BATCH_MAX_DURATION must be a duration such as 10s or 1m30s (units h, m, s, ms), not "30 s"; BATCH_IDLE_DURATION must be a duration',
  ],
  ['an unknown feature', { go: 'karpenter@1.14.1', features: ['sopt'] }, 'features.0 must be one of spot'],
  [
    'a class that is not an object',
    { go: 'karpenter@1.14.1', pools: { as: 'karpenter', nodeClass: { kind: 'x' } } },
    'pools.nodeClass: apiVersion',
  ],
] as const) {
  test(`a Karpenter file is refused: ${what}`, async ({}, testInfo) => {
    await expect(read(testInfo, file)).rejects.toThrow(TargetFileError);
    await expect(read(testInfo, file)).rejects.toThrow(says);
  });
}

test('the example files are valid, and declare the same as the Karpenter target', async () => {
  const pathOf = (name: string): string => fileURLToPath(new URL(`../../fixtures/examples/targets/${name}.yaml`, import.meta.url));
  const named = karpenterTarget('1.14.1');
  const wasm = await readCommandTarget(pathOf('karpenter-wasm'));
  expect(wasm.features).toEqual([...named.features, 'static-capacity']);
  expect(wasm.constants).toEqual(named.constants);
  // The other file's program does not exist.
  const real = parseTargetFile('karpenter.yaml', readFileSync(pathOf('karpenter'), 'utf8'));
  expect(real).toMatchObject({
    command: ['./karpenter'],
    features: named.features,
    resources: named.resources,
  });
  expect('go' in real ? undefined : constantsOf(real)).toEqual(named.constants);
  await expect(readCommandTarget(pathOf('karpenter'))).rejects.toThrow(`command can't be run: there is no program`);
});

test('the example file of Cluster Autoscaler as a process declares what follows from its flags', async () => {
  const path = fileURLToPath(new URL('../../fixtures/examples/targets/cluster-autoscaler-process.yaml', import.meta.url));
  const file = parseTargetFile(path, readFileSync(path, 'utf8'));
  const [, ...flags] = 'command' in file ? file.command : [];
  expect(flags).toContain('--max-node-provision-time=5m');
  // Without the feature, its period is of no use.
  const { consolidationMs: _, ...constants } = constantsWith(flags);
  expect('go' in file ? undefined : constantsOf(file)).toMatchObject(constants);
  expect(file.features).toEqual(clusterAutoscalerTarget('1.36.1').features);
  await expect(readCommandTarget(path)).rejects.toThrow(/definition|crds/);
});

test('flags of Cluster Autoscaler decide its constants; those that the world decides are refused', async ({}, testInfo) => {
  const go = 'cluster-autoscaler@1.36.1';
  const named = clusterAutoscalerTarget('1.36.1');
  expect((await read(testInfo, { go })).constants).toEqual(named.constants);
  const quick = await read(testInfo, { go, name: 'quick', flags: ['--scale-down-unneeded-time=1m', '--scale-down-unready-time=5m'] });
  expect(quick.name).toBe('quick');
  expect(quick.constants.emptyAfterMs).toBe(named.constants.emptyAfterMs - 9 * 60_000);
  await expect(read(testInfo, { go, flags: ['--leader-elect=true'] })).rejects.toThrow('flags: --leader-elect is decided by the world');
  await expect(read(testInfo, { go, environment: {} })).rejects.toThrow('environment');
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { TargetVersionError, parseTargetVersion, specOf } from './programs.ts';

for (const [text, version, kind] of [
  ['karpenter@1.14.1', '1.14.1', 'release'],
  ['karpenter@v1.14.1', '1.14.1', 'release'],
  ['karpenter@1.15.0-rc.1', '1.15.0-rc.1', 'release'],
  ['karpenter@6e7eab7', '6e7eab7', 'commit'],
  ['karpenter@1234567', '1234567', 'commit'],
  ['karpenter@mine', 'mine', 'name'],
  ['karpenter@v1.14.1-coverage', '1.14.1-coverage', 'release'],
  ['karpenter@1234567-coverage', '1234567-coverage', 'commit'],
] as const) {
  test(`${text} is a ${kind}`, () => {
    expect(parseTargetVersion(text)).toMatchObject({ program: { name: 'karpenter' }, version, kind });
  });
}

for (const [text, message] of [
  ['karpenter', 'give karpenter a version, such as karpenter@1.14.1'],
  ['karpenter@', 'give karpenter a version'],
  ['karpenter@1.14', '"1.14" is not a full version; give all three numbers, such as karpenter@1.14.1'],
  ['karpenter@latest', 'the latest version changes over time'],
  ['karpenter@1.7.9', 'karpenter@1.7.9 is too old: 1.8.0 is the first'],
  ['karpenter@0.37.0', 'too old'],
  ['karpenter@a/b', '"a/b" is not a version'],
  ['karpenter@..', '".." is not a version'],
  ['karpenter@1.14.1@2', 'more than one @'],
  ['karpentr@1.14.1', 'did you mean karpenter?'],
  ['', 'known programs: karpenter'],
] as const) {
  test(`"${text}" is refused`, () => {
    expect(() => parseTargetVersion(text)).toThrow(TargetVersionError);
    expect(() => parseTargetVersion(text)).toThrow(message);
  });
}

test('a release and a commit come from the proxy, a name needs a checkout', () => {
  expect(specOf(parseTargetVersion('karpenter@1.14.1'), {})).toMatchObject({
    version: '1.14.1',
    moduleVersion: 'v1.14.1',
    source: undefined,
    replace: {},
  });
  expect(specOf(parseTargetVersion('karpenter@6e7eab7'), {})).toMatchObject({ moduleVersion: '6e7eab7' });
  expect(specOf(parseTargetVersion('karpenter@mine'), { source: '/a', core: '/b' })).toMatchObject({
    source: '/a',
    replace: { 'sigs.k8s.io/karpenter': '/b' },
  });
  expect(() => specOf(parseTargetVersion('karpenter@mine'), {})).toThrow('as the name of a checkout it needs --source');
});

test('a version with coverage has a name of its own, and is otherwise the same program', () => {
  const plain = specOf(parseTargetVersion('karpenter@1.14.1'), {});
  expect(plain.coverage).toBeUndefined();
  expect(specOf(parseTargetVersion('karpenter@1.14.1-coverage'), {})).toEqual({
    ...plain,
    version: '1.14.1-coverage',
    coverage: ['github.com/aws/karpenter-provider-aws/...', 'sigs.k8s.io/karpenter/...'],
  });
});

/** A checkout of kubernetes/autoscaler that says that it is 1.36.1. */
function autoscalerCheckout(testInfo: TestInfo): { readonly checkout: string; readonly module: string } {
  const checkout = testInfo.outputPath('autoscaler');
  const module = join(checkout, 'cluster-autoscaler');
  mkdirSync(join(module, 'version'), { recursive: true });
  writeFileSync(join(module, 'go.mod'), 'module k8s.io/autoscaler/cluster-autoscaler\n');
  writeFileSync(join(module, 'version/version.go'), 'package version\n\nvar ClusterAutoscalerVersion = "1.36.1"\n');
  return { checkout, module };
}

test('a release that is not on the proxy is built from a checkout of it, or from the folder in it', ({}, testInfo) => {
  const { checkout, module } = autoscalerCheckout(testInfo);
  const version = parseTargetVersion('cluster-autoscaler@1.36.1');
  expect(specOf(version, { source: checkout })).toMatchObject({
    version: '1.36.1',
    source: module,
    tags: ['aws'],
    variables: { 'k8s.io/autoscaler/cluster-autoscaler/version.ClusterAutoscalerVersion': '1.36.1' },
  });
  expect(specOf(version, { source: module }).source).toBe(module);
  expect(specOf(parseTargetVersion('cluster-autoscaler@mine'), { source: checkout })).toMatchObject({ version: 'mine', source: module });
  expect(specOf(parseTargetVersion('cluster-autoscaler@1.36.1-coverage'), { source: checkout }).coverage).toEqual([
    'k8s.io/autoscaler/cluster-autoscaler/...',
  ]);
});

test('the chart of Node Termination Handler says which release a checkout is', ({}, testInfo) => {
  const checkout = testInfo.outputPath('handler');
  const chart = join(checkout, 'config/helm/aws-node-termination-handler');
  mkdirSync(chart, { recursive: true });
  writeFileSync(join(checkout, 'go.mod'), 'module github.com/aws/aws-node-termination-handler\n');
  writeFileSync(join(chart, 'Chart.yaml'), 'version: 0.27.6\nappVersion: 1.25.6\n');
  const spec = specOf(parseTargetVersion('node-termination-handler@1.25.6'), { source: checkout });
  expect(spec).toMatchObject({ version: '1.25.6', source: checkout, variables: {} });
  expect(Object.keys(spec.additions ?? {})).toEqual(['golang.org/x/sys', 'github.com/aws/aws-node-termination-handler']);
  expect(() => specOf(parseTargetVersion('node-termination-handler@1.25.5'), { source: checkout })).toThrow(
    'not 1.25.5: check out v1.25.5',
  );
});

test('a checkout of another version, or of something else, is refused', ({}, testInfo) => {
  const { checkout, module } = autoscalerCheckout(testInfo);
  expect(() => specOf(parseTargetVersion('cluster-autoscaler@1.35.2'), { source: checkout })).toThrow(
    `${checkout} is 1.36.1, not 1.35.2: check out cluster-autoscaler-1.35.2`,
  );
  expect(() => specOf(parseTargetVersion('cluster-autoscaler@1.36.1'), { source: join(module, 'version') })).toThrow(
    'it is not a checkout of cluster-autoscaler-1.36.1',
  );
});

for (const [text, checkouts, message] of [
  [
    'cluster-autoscaler@1.36.1',
    {},
    'run `git clone --depth 1 --branch cluster-autoscaler-1.36.1 https://github.com/kubernetes/autoscaler DIR`, and give --source DIR',
  ],
  ['cluster-autoscaler@6e7eab7', { source: '/a' }, 'such as cluster-autoscaler@mine'],
  ['cluster-autoscaler@mine', {}, 'as the name of a checkout it needs --source'],
  ['cluster-autoscaler@mine', { source: '/a', core: '/b' }, 'cluster-autoscaler has no core: leave out --core'],
] as const) {
  test(`${text} needs more than ${JSON.stringify(checkouts)}`, () => {
    expect(() => specOf(parseTargetVersion(text), checkouts)).toThrow(TargetVersionError);
    expect(() => specOf(parseTargetVersion(text), checkouts)).toThrow(message);
  });
}

for (const [version, checkouts, kind] of [
  ['karpenter@1.14.1', { source: '/a' }, 'release'],
  ['karpenter@1.14.1', { core: '/b' }, 'release'],
  ['karpenter@6e7eab7', { source: '/a', core: '/b' }, 'commit'],
] as const) {
  test(`a checkout can't have the name of a ${kind}: ${Object.keys(checkouts).join()}`, () => {
    expect(() => specOf(parseTargetVersion(version), checkouts)).toThrow(TargetVersionError);
    expect(() => specOf(parseTargetVersion(version), checkouts)).toThrow(
      `${version} is a published ${kind}, so a checkout needs another name: give --source, and a name of its own, such as karpenter@mine`,
    );
  });
}

import { expect, test } from '@playwright/test';
import { TargetFileError, isOfVersion, parseTargetFile } from '../../command/target-file.ts';
import { specOfTarget } from './target-spec.ts';
import type { GoProgramSpec } from './spec.ts';

const LEAST = {
  name: 'My autoscaler',
  pools: { as: 'karpenter' },
  ready: { log: 'ready' },
  constants: { emptyAfter: '1m', termination: '35s' },
};
const GO = { module: 'example.com/autoscaler', version: 'v1.2.3', package: './cmd/controller' };

function specFor(go: unknown): GoProgramSpec {
  const file = parseTargetFile('target.yaml', JSON.stringify({ ...LEAST, go }));
  if (!('go' in file) || isOfVersion(file)) throw new Error('it is not a Go target');
  return specOfTarget(file, '/folder');
}

test('a version of a module comes from the proxy', () => {
  expect(specFor(GO)).toMatchObject({
    program: 'My-autoscaler',
    version: 'v1.2.3',
    module: 'example.com/autoscaler',
    moduleVersion: 'v1.2.3',
    package: './cmd/controller',
    source: undefined,
    replace: {},
    overlay: true,
  });
});

test('folders are relative to the file', () => {
  const { version: _version, ...rest } = GO;
  const spec = specFor({
    ...rest,
    source: '../checkout',
    replace: { 'a.invalid/a': 'b.invalid/b@v1.0.0', 'c.invalid/c': './c' },
    overlay: false,
  });
  expect(spec).toMatchObject({
    source: '/checkout',
    moduleVersion: undefined,
    replace: { 'a.invalid/a': 'b.invalid/b@v1.0.0', 'c.invalid/c': '/folder/c' },
    overlay: false,
  });
  expect(spec.version).toMatch(/^checkout-[0-9a-f]{8}$/);
});

test('a build with coverage has a version of its own', () => {
  const spec = specFor({ ...GO, coverage: ['example.com/autoscaler/...'] });
  expect(spec).toMatchObject({ version: 'v1.2.3-coverage', moduleVersion: 'v1.2.3', coverage: ['example.com/autoscaler/...'] });
});

for (const [what, go, message] of [
  ['no version', { module: 'a', package: '.' }, 'go needs a version or a source, and not both'],
  ['both', { ...GO, source: '.' }, 'go needs a version or a source, and not both'],
  ['no package', { module: 'a', version: 'v1.0.0' }, 'go.package is missing'],
  ['an unknown field', { ...GO, pakage: '.' }, 'did you mean package?'],
  ['coverage of nothing', { ...GO, coverage: [] }, 'go.coverage must name a package'],
  [
    'a string',
    'example.com/autoscaler',
    'go must be a version of a program, such as karpenter@1.14.1 or cluster-autoscaler@1.36.1, or a Go module',
  ],
  ['an unknown variable', { ...GO, arguments: ['${NOTHING}'] }, 'go.arguments.0 refers to ${NOTHING}'],
] as const) {
  test(`refused: ${what}`, () => {
    expect(() => specFor(go)).toThrow(TargetFileError);
    expect(() => specFor(go)).toThrow(message);
  });
}

test('a program is either compiled or started', () => {
  expect(() => parseTargetFile('target.yaml', JSON.stringify({ ...LEAST, go: GO, command: ['x'] }))).toThrow('has no field command');
});

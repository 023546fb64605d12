import { expect, test } from '@playwright/test';
import { readManifests } from './documents.ts';

function read(text: string): { readonly where: string; readonly object: unknown }[] {
  return readManifests({ path: 'web.yaml', text }).map(({ where, object }) => ({ where, object }));
}

const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';

test('reads documents, skips empty ones, and opens lists', () => {
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } }],
  };
  const found = read(`---\n# nothing\n---\n${NAMESPACE}---\n${JSON.stringify(list)}\n`);
  expect(found.map(({ where }) => where)).toEqual([
    'web.yaml, document 2 (Namespace shop)',
    'web.yaml, document 3, items[0] (Service shop/web)',
  ]);
  expect(read('')).toEqual([]);
  expect(read('apiVersion: v1\nkind: List\nitems:\n')).toEqual([]);
});

test('reads Windows line endings', () => {
  const found = read(`${NAMESPACE}---\n${NAMESPACE}`.replaceAll('\n', '\r\n'));
  expect(found.map(({ where }) => where)).toEqual(['web.yaml, document 1 (Namespace shop)', 'web.yaml, document 2 (Namespace shop)']);
});

for (const [path, command] of [
  ['base/kustomization.yaml', 'kubectl kustomize'],
  ['values-prod.yml', 'helm template'],
] as const) {
  test(`the error for a file of another tool names the tool: ${path}`, () => {
    expect(() => readManifests({ path, text: 'resources: [web.yaml]\n' })).toThrow(`render it with \`${command}\``);
  });
}

for (const [written, value] of [
  ['0644', 420],
  ['on', true],
  ['"on"', 'on'],
  ['12:30', '12:30'],
  ['2026-01-01', '2026-01-01'],
  ['1e3', 1000],
  ['750m', '750m'],
  ['~', null],
] as const) {
  test(`a scalar is read as kubectl reads it: ${written}`, () => {
    const [found] = read(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: ${written}}\n`);
    expect(found?.object).toMatchObject({ data: { x: value } });
  });
}

test('anchors and merges', () => {
  const [found] = read(`apiVersion: v1\nkind: X\nmetadata: {name: a}\nbase: &base {a: 1}\nspec: {<<: *base, b: 2}\n`);
  expect(found?.object).toMatchObject({ spec: { a: 1, b: 2 } });
});

for (const [what, text, message] of [
  ['invalid YAML', `${NAMESPACE}---\na: [1\n`, /^web\.yaml, document 2, line \d+, column \d+: /],
  ['a field twice', 'apiVersion: v1\nkind: X\nmetadata: {name: a, name: b}\n', /document 1, line 3.*unique/],
  ['a template', 'a: {{ .Values.x }}\n', /render it first/],
  ['no kind', 'apiVersion: v1\nmetadata: {name: a}\n', /^web\.yaml, document 1: kind must be a text; an object has apiVersion/],
  ['no metadata', 'apiVersion: v1\nkind: X\n', /document 1: metadata must be an object/],
  ['a name that is not a text', 'apiVersion: v1\nkind: X\nmetadata: {name: 5}\n', /metadata\.name must be a text/],
  ['no name', 'apiVersion: v1\nkind: X\nmetadata: {labels: {}}\n', /document 1 \(X\): metadata\.name is missing; every object/],
  [
    'a generated name',
    'apiVersion: v1\nkind: X\nmetadata: {generateName: a-}\n',
    /\(X\): metadata\.name is missing; kubectl apply does not support generateName/,
  ],
  ['a list whose items are not a list', 'apiVersion: v1\nkind: List\nitems: {a: 1}\n', /document 1: metadata must be an object/],
  ['tabs', 'apiVersion: v1\nkind: X\nmetadata:\n\tname: a\n', /line 4.*[Tt]ab/],
  ['no object', 'just a text\n', /document 1: it must be an object/],
  ['an alias without an anchor', 'a: *nobody\n', /nobody/],
] as const) {
  test(`refused, with its place: ${what}`, () => {
    expect(() => read(text)).toThrow(message);
  });
}

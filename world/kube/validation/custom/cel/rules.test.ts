import { expect, test } from '@playwright/test';
import { CRDS, withServer } from '../../../testing/api-server.ts';
import { goRegExp } from '../regexp.ts';
import type { Schema } from '../schema.ts';
import { checkRules } from './check.ts';
import { escapeName } from './names.ts';
import { compileRules } from './rules.ts';

/*
 * The answers of a real API server are recorded: `fidelity/differential/kube/cases-rules.ts`. These tests cover what no request shows,
 * or what differs.
 */

const whole: Schema = { type: 'integer' };
const ruled = (schema: Schema, ...rules: readonly string[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});

function check(schema: Schema, spec: unknown, old?: unknown): string[] {
  const { root, errors } = compileRules({ type: 'object', properties: { spec: schema } }, 'schema');
  if (root === undefined || errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return checkRules(root, { spec }, old === undefined ? undefined : { spec: old }).map(({ field, message }) => `${field}: ${message}`);
}

test('a schema without rules compiles to nothing', () => {
  expect(compileRules({ type: 'object', properties: { a: whole } }, 'schema')).toEqual({ errors: [] });
});

test('the number of rule evaluations for one write is bounded', () => {
  const schema: Schema = { type: 'array', items: ruled(whole, 'self > 0') };
  expect(check(schema, new Array(10_000).fill(1))).toEqual([]);
  expect(check(schema, new Array(10_002).fill(1))).toEqual([
    'spec[10000]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});

test('items without keys count as unchanged only all together', () => {
  const items = ruled({ type: 'object', properties: { a: whole } }, 'self.a > 1');
  const list: Schema = { type: 'array', items };
  expect(check(list, [{ a: 1 }], [{ a: 1 }])).toEqual([]);
  expect(check(list, [{ a: 1 }, { a: 2 }], [{ a: 1 }])).toHaveLength(1);
  const keyed: Schema = { ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] };
  expect(check(keyed, [{ a: 1 }, { a: 2 }], [{ a: 1 }])).toEqual([]);
  expect(check(keyed, [{ a: 0 }, { a: 1 }], [{ a: 1 }])).toHaveLength(1);
});

test('a rule with an unsupported function does not compile, and is never silently skipped', () => {
  for (const rule of ["semver('1.0.0').major() == 1", 'self.all(i, x, x > 0)', "strings.quote('a') == 'a'"]) {
    const { errors } = compileRules({ type: 'object', properties: { spec: ruled({ type: 'array', items: whole }, rule) } }, 'schema');
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      expect.stringMatching(
        /^schema\.properties\[spec\]\.x-kubernetes-validations\[0\]\.rule: Invalid value: .*: compilation failed: ERROR: /s,
      ),
    ]);
  }
});

test('a definition whose rules do not compile is refused, also if only one version has them', async () => {
  await withServer(async ({ call, merge }) => {
    const version = (name: string, schema: Schema): object => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
    });
    const definition = (...versions: object[]): object => ({
      metadata: { name: 'things.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions },
    });
    const broken = ruled(whole, 'self.x > 1');
    const refused = await call('POST', CRDS, definition(version('v1', whole), version('v2', broken)));
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain('spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule');
    expect((await call('POST', CRDS, definition(version('v1', whole)))).status).toBe(201);
    expect((await merge(`${CRDS}/things.example.com`, { spec: { versions: [version('v1', broken)] } })).status).toBe(422);
  });
});

test('names are escaped for CEL', () => {
  expect(['a', 'a-b', 'a.b/c', 'a__b', 'in', 'int', '1a', 'a b', ''].map(escapeName)).toEqual([
    'a',
    'a__dash__b',
    'a__dot__b__slash__c',
    'a__underscores__b',
    '__in__',
    'int',
    undefined,
    undefined,
    undefined,
  ]);
});

test("patterns use Go's syntax", () => {
  expect(goRegExp('(?i)^[[:alpha:]]+\\z')?.test('aB')).toBe(true);
  expect(goRegExp('^(?P<year>\\d{4})\\-x$')?.test('2026-x')).toBe(true);
  expect(goRegExp('^\\pL+$')?.test('ä')).toBe(true);
  for (const pattern of ['(?=a)', '(a)\\1', '(a', '[b']) expect(goRegExp(pattern)).toBe(undefined);
});

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { applyJsonPatch } from './json-patch.ts';
import { isJsonObject } from './json.ts';
import { mergePatch } from './merge-patch.ts';
import { StatusError } from './status.ts';

/** The test cases of RFC 7386, appendix A. */
const rfc7386: [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, result] of rfc7386) {
  test(`merge patch ${JSON.stringify(patch)} of ${JSON.stringify(target)}`, () => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
}

const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
})).object;

test('a merge patch does not change its target, is idempotent, and shares unchanged parts', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify(target);
      const once = mergePatch(target, patch);
      expect(JSON.stringify(target)).toBe(before);
      expect(mergePatch(once, patch)).toEqual(once);
      if (!isJsonObject(once) || !isJsonObject(target) || !isJsonObject(patch)) return;
      for (const key of Object.keys(target)) if (!Object.hasOwn(patch, key)) expect(once[key]).toBe(target[key]);
    }),
  );
});

test('a merge patch that changes nothing returns the target itself', () => {
  const target = { metadata: { labels: { a: 'b' } }, spec: { replicas: 1 } };
  expect(mergePatch(target, { metadata: { labels: { a: 'b', gone: null } }, spec: {} })).toBe(target);
});

test('JSON patches are applied in order', () => {
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: '7' },
    { op: 'add', path: '/spec/taints/-', value: { key: 'b' } },
    { op: 'remove', path: '/metadata/labels/a~1b' },
  ];
  const document = { metadata: { resourceVersion: '7', labels: { 'a/b': 'c' } }, spec: { taints: [{ key: 'a' }] } };
  expect(applyJsonPatch(document, patch)).toEqual({
    metadata: { resourceVersion: '7', labels: {} },
    spec: { taints: [{ key: 'a' }, { key: 'b' }] },
  });
});

const refused: [unknown, number][] = [
  [{ op: 'add' }, 400],
  [[null], 400],
  [[{ op: 'add', path: '/__proto__/x', value: 1 }], 422],
  [[{ op: 'test', path: '/a', value: 2 }], 422],
  [[{ op: 'remove', path: '/b' }], 422],
];

for (const [patch, code] of refused) {
  test(`JSON patch ${JSON.stringify(patch)} is refused with ${code}`, () => {
    expect(caught(() => applyJsonPatch({ a: 1 }, patch)).code).toBe(code);
  });
}

test('a JSON patch of too many operations is refused with 413', () => {
  const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
  const { status } = caught(() => applyJsonPatch({ a: 1 }, patch));
  expect(status).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
  expect(status.message).toBe('Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001');
});

function caught(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const OWN = '"__proto__":{"inherited":1}';
const protoPatches: [string, string, string][] = [
  ['{}', `{${OWN}}`, `{${OWN}}`],
  ['{"a":{"b":1}}', `{"a":{${OWN}}}`, `{"a":{"b":1,${OWN}}}`],
  [`{${OWN}}`, '{"__proto__":{"inherited":null,"other":2}}', '{"__proto__":{"other":2}}'],
  [`{"a":1,${OWN}}`, '{"__proto__":null}', '{"a":1}'],
];

for (const [target, patch, result] of protoPatches) {
  test(`__proto__ is an ordinary key: ${patch} of ${target}`, () => {
    const patched = mergePatch(JSON.parse(target), JSON.parse(patch));
    expect(JSON.stringify(patched)).toBe(result);
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(isJsonObject(patched) && patched['inherited']).toBeUndefined();
  });
}

test('the copies of a JSON patch may not grow without end', () => {
  const copies = (number: number): unknown =>
    Array.from({ length: number }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/k${index}` }));
  const object = (): unknown => ({ data: { text: 'x'.repeat(100_000) } });
  expect(applyJsonPatch(object(), copies(3))).toMatchObject({ data: { k2: { k1: { k0: {} } } } });
  expect(() => applyJsonPatch(object(), copies(14))).toThrow(StatusError);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { createRandom } from '../../runtime/random.ts';
import type { Random } from '../../runtime/random.ts';
import { ProtobufEncoder } from './protobuf-encoder.ts';
import { readFields } from './protobuf-reader.ts';
import { decodeProtobuf } from './protobuf.ts';
import { elementOf, loadKubeTypes } from './types.ts';
import type { FieldType } from './types.ts';

const types = loadKubeTypes();
const encoder = new ProtobufEncoder(types);

/** Objects of each kind. */
const SAMPLES = 5;
/** Deeper messages are left out: schemas contain themselves. */
const MAX_DEPTH = 5;

test('objects of every kind are read back as they were written', () => {
  const random = createRandom(1).fork('protobuf');
  for (const [name] of types.all()) {
    for (const key of types.kindsOf(name)) {
      const [kind = '', ...reversed] = key.split('/').reverse();
      const apiVersion = reversed.reverse().join('/');
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const object = { kind, apiVersion, ...messageOf(name, random, 0) };
        const bytes = encoder.encode(object);
        expect(bytes, key).toBeDefined();
        expect(decodeProtobuf(bytes ?? new Uint8Array(), types), key).toEqual(object);
      }
    }
  }
});

/** What Go wrote for the same objects (k8s.io/apimachinery v0.34.4). */
const bodies = JSON.parse(readFileSync(join(packageRoot(), 'fixtures/recordings', 'protobuf-bodies.json'), 'utf8')) as readonly {
  what: string;
  body: string;
}[];

for (const { what, body } of bodies.filter((one) => !one.what.startsWith('DeleteOptions'))) {
  test(`reads ${what} of Go, writes it, and reads the same`, () => {
    const object = decodeProtobuf(Buffer.from(body, 'base64'), types);
    expect(decodeProtobuf(encoder.encode(object) ?? new Uint8Array(), types)).toEqual(object);
  });
}

test('a list has its metadata and the items, without their types', () => {
  const bytes = encoder.encode({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', remainingItemCount: 2 },
    items: [{ metadata: { name: 'a' }, data: { b: '', a: '1' } }, { metadata: { name: 'b' } }],
  });
  // Bytes of Go, without the empty strings that it writes.
  expect(Buffer.from(bytes ?? []).toString('latin1')).toBe(
    'k8s\0' +
      '\x0a\x13\x0a\x02v1\x12\x0dConfigMapList' +
      '\x12\x24\x0a\x05\x12\x017\x20\x02' +
      '\x12\x14\x0a\x03\x0a\x01a\x12\x06\x0a\x01a\x12\x011\x12\x05\x0a\x01b\x12\x00' +
      '\x12\x05\x0a\x03\x0a\x01b' +
      '\x1a\x00\x22\x00',
  );
});

test('an event has its length before it, its type and its object', () => {
  const bytes = encoder.encodeEvent('ADDED', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' } }) ?? new Uint8Array();
  expect(Buffer.from(bytes).readUInt32BE()).toBe(bytes.length - 4);
  const [type, object] = readFields(bytes.subarray(4));
  expect(Buffer.from(type?.value as Uint8Array).toString()).toBe('ADDED');
  const [raw] = readFields(object?.value as Uint8Array);
  expect(decodeProtobuf(raw?.value as Uint8Array, types)).toEqual({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' } });
});

for (const [what, object] of [
  ['a custom object', { kind: 'Widget', apiVersion: 'example.com/v1', metadata: {} }],
  ['a list of them', { kind: 'WidgetList', apiVersion: 'example.com/v1', metadata: {}, items: [] }],
  ['a table', { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, rows: [] }],
] as const) {
  test(`${what} has no protobuf`, () => {
    expect(encoder.encode(object)).toBeUndefined();
  });
}

/** A random message, without the zeros that Go's JSON leaves out. */
function messageOf(name: string, random: Random, depth: number): Record<string, unknown> {
  const fields = Object.entries(types.find(name)?.fields ?? {}).filter(([, { wire }]) => wire !== undefined);
  const chosen = fields.filter(([, field]) => (depth < MAX_DEPTH || !isMessage(field)) && random.chance(depth === 0 ? 0.8 : 0.3));
  return Object.fromEntries(chosen.map(([field, type]) => [field, valueOf(type, random, depth)]));
}

function isMessage({ type, schemaOr }: FieldType): boolean {
  if (schemaOr !== undefined) return true;
  return types.find(elementOf(type)?.type ?? type) !== undefined;
}

function valueOf({ type, schemaOr }: FieldType, random: Random, depth: number): unknown {
  const element = elementOf(type);
  const count = random.int(1, 3);
  if (element?.of === 'list') return Array.from({ length: count }, () => oneOf(element.type, schemaOr, random, depth));
  if (element?.of !== 'map') return oneOf(type, schemaOr, random, depth);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, oneOf(element.type, schemaOr, random, depth)]));
}

function oneOf(type: string, schemaOr: FieldType['schemaOr'], random: Random, depth: number): unknown {
  if (schemaOr !== undefined) return schemaForm(schemaOr, random, depth);
  if (type.startsWith('[]')) return [oneOf(type.slice(2), undefined, random, depth), 'b'];
  const number = random.int(1, 2 ** 31 - 1) * (random.chance(0.5) ? 1 : -1);
  switch (type) {
    case 'string':
      return `é${number}`;
    case 'bool':
      return true;
    case 'int32':
    case 'int64':
      return number;
    case 'double':
      return number / 8;
    case 'bytes':
      return Buffer.from(`bytes ${number}`).toString('base64');
    case 'Quantity':
      return `${number}m`;
    case 'IntOrString':
      return random.chance(0.5) ? number : '25%';
    case 'Time':
      return new Date(number * 1000).toISOString().replace('.000', '');
    case 'MicroTime':
      return new Date(number * 1000).toISOString().replace('.000', '.000123');
    case 'FieldsV1':
    case 'RawExtension':
    case 'Any':
      return { 'f:any': [number, 'ü', { deep: null }] };
    default:
      return messageOf(type, random, depth + 1);
  }
}

function schemaForm(schemaOr: NonNullable<FieldType['schemaOr']>, random: Random, depth: number): unknown {
  const schema = messageOf('apiextensions.v1.JSONSchemaProps', random, depth + 1);
  if (random.chance(0.5)) return schema;
  if (schemaOr === 'bool') return random.chance(0.5);
  return schemaOr === 'strings' ? ['a', 'b'] : [schema];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { decodeBody } from './body.ts';
import { describeKubeRequest } from './operation.ts';
import { ProtobufEncoder } from './protobuf-encoder.ts';
import { PROTOBUF_TYPE, decodeProtobuf } from './protobuf.ts';
import { MAGIC } from './protobuf-layout.ts';
import { ProtobufError } from './protobuf-reader.ts';
import { joined, writeField } from './protobuf-writer.ts';
import { loadKubeTypes } from './types.ts';

const types = loadKubeTypes();

/** Bodies written by Go's serializer (k8s.io/apimachinery v0.34.4), each with the same object in Go's JSON. */
const bodies = JSON.parse(readFileSync(join(packageRoot(), 'fixtures/recordings', 'protobuf-bodies.json'), 'utf8')) as readonly {
  what: string;
  body: string;
  object: unknown;
}[];

for (const { what, body, object } of bodies) {
  test(`decodes ${what} as written by Go`, () => {
    expect(withoutNulls(decodeProtobuf(Buffer.from(body, 'base64'), types))).toEqual(withoutNulls(object));
  });
}

/** Go writes zero times as null. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === null ? undefined : part)));
}

for (const [what, bytes, message] of [
  ['JSON', Buffer.from('{}'), 'does not appear to be a protobuf message'],
  ['a truncated body', Buffer.from('k8s\0\u000a\u0013'), 'unexpected EOF'],
  ['an unknown kind', Buffer.from('k8s\0\u000a\u0005\u0012\u0003Foo'), 'no kind "Foo" is registered'],
] as const) {
  test(`${what} is refused`, () => {
    expect(() => decodeProtobuf(bytes, types)).toThrow(ProtobufError);
    expect(() => decodeProtobuf(bytes, types)).toThrow(message);
  });
}

test('an operation is decoded from a protobuf body', () => {
  const eviction = bodies.find(({ what }) => what === 'Eviction');
  const operation = describeKubeRequest(
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/web-1/eviction',
      headers: { 'content-type': PROTOBUF_TYPE },
      body: Buffer.from(eviction?.body ?? '', 'base64'),
    },
    types,
  );
  // Its options request a dry run.
  expect(operation).toMatchObject({ name: 'create pods/eviction', mutating: false, input: { kind: 'Eviction' } });
});

test('an eviction may have its old version, as Cluster Autoscaler sends it', () => {
  const typeMeta = [writeField(1, 'policy/v1beta1'), writeField(2, 'Eviction')];
  const metadata = [writeField(1, 'web-1'), writeField(3, 'default')];
  const body = joined([Uint8Array.from(MAGIC), writeField(1, typeMeta), writeField(2, [writeField(1, metadata)])]);
  const sent = { kind: 'Eviction', apiVersion: 'policy/v1beta1', metadata: { name: 'web-1', namespace: 'default' } };
  expect(withoutNulls(decodeProtobuf(body, types))).toEqual(sent);
});

test('every field of every type has a number, so that protobuf loses nothing', () => {
  const types = loadKubeTypes();
  const lost = types.all().flatMap(([name, { fields }]) => {
    // The type of an object is in the envelope.
    const isKind = 'apiVersion' in fields && 'kind' in fields && fields['apiVersion'].wire === undefined;
    return Object.entries(fields).flatMap(([field, { wire }]) =>
      wire !== undefined || (isKind && (field === 'apiVersion' || field === 'kind')) ? [] : [`${name}.${field}`],
    );
  });
  expect(lost).toEqual([]);
});

test('JSON with too many levels is refused inside a protobuf message, too', () => {
  const revision = (levels: number) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'deep' },
    data: JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown,
    revision: 1,
  });
  const decode = (levels: number): unknown => decodeBody(new ProtobufEncoder(types).encode(revision(levels)) ?? '', PROTOBUF_TYPE, types);
  expect(decode(100)).toMatchObject({ kind: 'ControllerRevision' });
  expect(() => decode(600)).toThrow(ProtobufError);
  expect(() => decode(2_000)).toThrow(ProtobufError);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';
import { APPLY_TYPE, decodeBody } from '../../../protocols/kube/body.ts';
import { PROTOBUF_TYPE } from '../../../protocols/kube/protobuf.ts';
import { joined, writeField } from '../../../protocols/kube/protobuf-writer.ts';
import { loadKubeTypes } from '../../../protocols/kube/types.ts';
import { asText } from '../../../wire/wire.ts';
import { labelBody } from './label-body.ts';

const LABELS = { 'scaleproof.run': 'r1' };
const types = loadKubeTypes();

/** As Go encodes a Lease: an envelope with the type, the object, and two empty strings. */
function leaseInProtobuf(metadata: Parameters<typeof writeField>[1]): Uint8Array {
  const typeMeta = writeField(1, [writeField(1, 'coordination.k8s.io/v1'), writeField(2, 'Lease')]);
  const lease = [writeField(1, metadata), writeField(2, [writeField(1, 'holder')])];
  return joined([new TextEncoder().encode('k8s\u0000'), typeMeta, writeField(2, lease), writeField(3, ''), writeField(4, '')]);
}

test('an object in protobuf gets labels, and loses nothing', () => {
  const label = writeField(11, [writeField(1, 'app'), writeField(2, 'x'.repeat(200))]);
  const body = leaseInProtobuf([writeField(1, 'leader'), label]);
  expect(decodeBody(labelBody(body, PROTOBUF_TYPE, LABELS) ?? '', PROTOBUF_TYPE, types)).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'leader', labels: { app: 'x'.repeat(200), ...LABELS } },
    spec: { holderIdentity: 'holder' },
  });
});

test('a label of another run is replaced', () => {
  const other = writeField(11, [writeField(1, 'scaleproof.run'), writeField(2, 'r0')]);
  const labelled = labelBody(leaseInProtobuf([writeField(1, 'leader'), other]), PROTOBUF_TYPE, LABELS) ?? '';
  expect(decodeBody(labelled, PROTOBUF_TYPE, types)).toMatchObject({ metadata: { labels: LABELS } });
});

test('YAML gets labels too', () => {
  const labelled = labelBody('metadata:\n  name: x\ndata: {a: b}\n', APPLY_TYPE, LABELS) ?? '';
  expect(JSON.parse(asText(labelled))).toEqual({ metadata: { name: 'x', labels: LABELS }, data: { a: 'b' } });
});

for (const [what, body, type] of [
  ['broken JSON', '{"metadata"', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['an object without metadata', '{"kind": "Pod"}', 'application/json'],
  ['cut protobuf', leaseInProtobuf([writeField(1, 'leader')]).slice(0, 50), PROTOBUF_TYPE],
  ['no protobuf', 'k8s', PROTOBUF_TYPE],
] as const) {
  test(`${what} is unchanged`, () => {
    expect(labelBody(body, type, LABELS)).toBeUndefined();
  });
}

test('bodies encoded by Go can be labelled', () => {
  const text = readFileSync(join(packageRoot(), 'fixtures/recordings', 'protobuf-bodies.json'), 'utf8');
  const bodies = JSON.parse(text) as { what: string; body: string }[];
  expect(bodies.length).toBeGreaterThan(0);
  for (const { what, body: base64 } of bodies) {
    const body = Buffer.from(base64, 'base64');
    const before = decodeBody(body, PROTOBUF_TYPE, types) as { metadata?: { labels?: object } };
    if (before.metadata === undefined) continue;
    const after = decodeBody(labelBody(body, PROTOBUF_TYPE, LABELS) ?? '', PROTOBUF_TYPE, types);
    expect({ what, after }).toEqual({
      what,
      after: { ...before, metadata: { ...before.metadata, labels: { ...before.metadata.labels, ...LABELS } } },
    });
  }
});

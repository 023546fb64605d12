import { expect, test } from '@playwright/test';
import { negotiate, prefersKind } from './accept.ts';

for (const [accept, representation] of [
  [undefined, 'object'],
  ['*/*', 'object'],
  ['application/json', 'object'],
  ['application/vnd.kubernetes.protobuf,application/json', 'object'],
  ['application/vnd.kubernetes.protobuf, */*', 'object'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'table'],
  ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', 'object'],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'metadata-list',
  ],
  ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'metadata'],
  ['application/json;q=0.1,application/json;as=Table;g=meta.k8s.io;v=v1;q=0.9', 'table'],
] as const) {
  test(`${accept} is answered with the ${representation}`, () => {
    expect(negotiate(accept)).toBe(representation);
  });
}

for (const accept of ['application/vnd.kubernetes.protobuf', 'text/plain', 'application/json;as=Table;v=v1;g=other']) {
  test(`${accept} alone is not acceptable`, () => {
    expect(() => negotiate(accept)).toThrow(expect.objectContaining({ code: 406, reason: 'NotAcceptable' }));
  });
}

test('aggregated discovery is for clients that prefer it', () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
  expect(prefersKind(accept, 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2')).toBe(true);
  expect(prefersKind(accept, 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2beta1')).toBe(false);
  expect(prefersKind('application/json', 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2')).toBe(false);
});

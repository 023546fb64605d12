import { expect, test } from '@playwright/test';
import { negotiate, plainFormat, prefersKind } from './accept.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const AS = 'g=meta.k8s.io;v=v1';
const BUILT_IN = { custom: false, collection: false, watch: false };
const CUSTOM = { ...BUILT_IN, custom: true };

// As a real v1.34.4 answers.
for (const [accept, format, representation] of [
  [undefined, 'json', 'object'],
  [' ', 'json', 'object'],
  ['*/*', 'json', 'object'],
  ['application/json', 'json', 'object'],
  ['application/yaml', 'yaml', 'object'],
  [PROTOBUF, 'protobuf', 'object'],
  [`${PROTOBUF};stream=watch`, 'protobuf', 'object'],
  [`application/xml,${PROTOBUF}`, 'protobuf', 'object'],
  [`${PROTOBUF},application/json`, 'protobuf', 'object'],
  [`application/json;q=0.5,${PROTOBUF};q=0.9`, 'protobuf', 'object'],
  [`*/*;q=0.1,${PROTOBUF};q=0.05`, 'protobuf', 'object'],
  ['application/json;q=0.5,application/*;q=0.9', 'json', 'object'],
  [`application/json;as=Table;v=v1;${AS},application/json;as=Table;v=v1beta1;${AS},application/json`, 'json', 'table'],
  ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', 'json', 'object'],
  [`application/yaml;as=Table;${AS}`, 'yaml', 'table'],
  [`${PROTOBUF};as=Table;${AS},application/json`, 'json', 'object'],
  [`${PROTOBUF};as=PartialObjectMetadataList;${AS},application/json;as=PartialObjectMetadataList;${AS}`, 'protobuf', 'metadata-list'],
  [`application/json;as=PartialObjectMetadata;${AS}`, 'json', 'metadata'],
  [`application/json;q=0.1,application/json;as=Table;${AS};q=0.9`, 'json', 'table'],
] as const) {
  test(`${accept} is answered with the ${representation} in ${format}`, () => {
    expect(negotiate(accept, BUILT_IN)).toEqual({ format, representation });
  });
}

for (const [accept, why] of [
  ['text/plain', 'Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf'],
  ['application/*', 'Available representations'],
  ['application/json;as=Table;v=v1;g=other', 'only the following media types are accepted'],
  ['application/json;as=Table', 'only the following media types are accepted'],
  ['application/json;g=meta.k8s.io', 'only the following media types are accepted'],
  ['application/json;stream=other', 'only the following media types are accepted'],
  [`${PROTOBUF};as=Table;${AS}`, 'only the following media types are accepted'],
] as const) {
  test(`${accept} alone is not acceptable`, () => {
    const refused = { code: 406, reason: 'NotAcceptable', message: expect.stringContaining(why) as unknown };
    expect(() => negotiate(accept, BUILT_IN)).toThrow(expect.objectContaining(refused));
    expect(plainFormat(accept)).toBe('json');
  });
}

test('custom objects have no protobuf, but their metadata has', () => {
  expect(() => negotiate(PROTOBUF, CUSTOM)).toThrow(expect.objectContaining({ code: 406 }));
  expect(plainFormat(PROTOBUF)).toBe('protobuf');
  expect(negotiate(`${PROTOBUF},application/json`, CUSTOM)).toEqual({ format: 'json', representation: 'object' });
  expect(negotiate(`${PROTOBUF};as=PartialObjectMetadata;${AS}`, CUSTOM)).toEqual({ format: 'protobuf', representation: 'metadata' });
});

test('a watch has no YAML', () => {
  const watch = { custom: false, collection: true, watch: true };
  expect(negotiate(PROTOBUF, watch).format).toBe('protobuf');
  const message =
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  expect(() => negotiate('application/yaml,application/json', watch)).toThrow(expect.objectContaining({ message }));
});

test('aggregated discovery is for clients that prefer it', () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
  expect(prefersKind(accept, 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2')).toBe(true);
  expect(prefersKind(accept, 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2beta1')).toBe(false);
  expect(prefersKind('application/json', 'apidiscovery.k8s.io', 'APIGroupDiscoveryList', 'v2')).toBe(false);
});

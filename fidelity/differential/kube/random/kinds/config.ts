import type { Random } from '../../../../../runtime/random.ts';
import type { Kind } from './kind.ts';
import { metadataChange, value } from './metadata.ts';

const data = (random: Random): object => ({ data: Object.fromEntries(['a', 'b'].map((key) => [key, random.pick(['1', '2', 'x'])])) });

export const configmaps: Kind = {
  plural: 'configmaps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespaced: true,
  controlled: false,
  weight: 8,
  create: (random) => ({
    ...data(random),
    ...random.pick([{}, {}, {}, { immutable: true }, { binaryData: { c: 'AAEC' } }, { binaryData: { a: 'AAEC' } }]),
  }),
  change: (random) =>
    random.pick<() => object>([
      () => metadataChange(random),
      () => ({ data: { a: value(random) } }),
      () => ({ data: { b: value(random), c: '9' } }),
      () => ({ data: { a: 5 } }),
      () => ({ data: null }),
      () => ({ immutable: random.pick([true, false, null]) }),
      () => ({ data: { 'bad key': 'x' } }),
      () => ({ unknown: 'field' }),
    ])(),
};

export const secrets: Kind = {
  plural: 'secrets',
  apiVersion: 'v1',
  kind: 'Secret',
  namespaced: true,
  controlled: false,
  weight: 2,
  create: (random) =>
    random.pick<object>([
      { stringData: { a: '1' } },
      { data: { a: 'MQ==' }, type: 'Opaque' },
      { data: { a: 'no base64!' } },
      { type: 'example.com/own' },
    ]),
  change: (random) =>
    random.pick<() => object>([
      () => metadataChange(random),
      () => ({ stringData: { b: '2' } }),
      () => ({ data: { a: random.pick(['Mg==', null]) } }),
      () => ({ type: 'another' }),
      () => ({ immutable: true }),
    ])(),
};

export const serviceaccounts: Kind = {
  plural: 'serviceaccounts',
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  namespaced: true,
  controlled: false,
  weight: 1,
  create: (random) => random.pick<object>([{}, { imagePullSecrets: [{ name: 'pull' }] }, { automountServiceAccountToken: false }]),
  change: (random) =>
    random.pick<() => object>([
      () => metadataChange(random),
      () => ({ imagePullSecrets: [{ name: 'other' }] }),
      () => ({ automountServiceAccountToken: true }),
    ])(),
};

export const services: Kind = {
  plural: 'services',
  apiVersion: 'v1',
  kind: 'Service',
  namespaced: true,
  controlled: false,
  weight: 1,
  create: (random) => ({
    spec: { clusterIP: 'None', selector: { app: 'x' }, ...random.pick([{}, { ports: [{ port: random.pick([80, 0]) }] }]) },
  }),
  change: (random) =>
    random.pick<() => object>([
      () => metadataChange(random),
      () => ({ spec: { selector: { app: 'y' } } }),
      () => ({ spec: { ports: [{ port: 81, name: 'http' }] } }),
    ])(),
  strategic: (random) => ({ spec: { ports: [{ port: random.pick([80, 82]), protocol: 'TCP', name: random.pick(['a', 'b']) }] } }),
};

import type { ApiCase, Step } from './case.ts';
import { newNamespace, patch, post, remove, within } from './policy-case.ts';

/* Options of requests, and other small things. */

const MAPS = '/api/v1/namespaces/OWN/configmaps';
const LOOK = ['metadata.name', 'data'];
const LONG = 'x'.repeat(129);

const put = (path: string, body: unknown): Step => ({ method: 'PUT', path, body, look: LOOK });
const jsonPatch = (...operations: readonly object[]): Step =>
  patch(`${MAPS}/a`, operations, { contentType: 'application/json-patch+json', look: LOOK });
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
const limits = (name: string, ...entries: readonly object[]): Step =>
  post('/api/v1/namespaces/OWN/limitranges?dryRun=All', { metadata: { name }, spec: { limits: entries } }, ['spec']);

export const OPTION_CASES: readonly ApiCase[] = [
  {
    id: 'option-field-manager',
    steps: [
      ...newNamespace('option-field-manager'),
      ...[
        post(`${MAPS}?fieldManager=${LONG}`, map),
        post(`${MAPS}?fieldManager=a%07b`, map),
        post(`${MAPS}?fieldManager=a%07b${LONG}&dryRun=Some`, map),
        post(`${MAPS}?fieldManager=%C3%A4`, map, LOOK),
        put(`${MAPS}/a?fieldManager=${LONG}`, map),
        patch(`${MAPS}/a?fieldManager=${LONG}`, { data: { a: '2' } }),
        patch(`${MAPS}/a?fieldManager=a%0Ab`, map, { contentType: 'application/apply-patch+yaml' }),
        patch(`${MAPS}/a?fieldManager=a%0Ab&force=true&fieldValidation=Some&dryRun=Some`, { data: { a: '2' } }),
        post(`${MAPS}?fieldManager=${LONG}&fieldValidation=Some`, map),
        remove(`${MAPS}/a?fieldManager=${LONG}`),
      ].map(within('option-field-manager')),
    ],
  },
  {
    id: 'option-dry-run-revision',
    steps: [
      ...newNamespace('option-dry-run-revision'),
      ...[
        post(`${MAPS}?dryRun=All`, { ...map, metadata: { name: 'a', resourceVersion: '7' } }, [...LOOK, 'metadata.resourceVersion']),
        post(MAPS, { ...map, metadata: { name: 'a', resourceVersion: '7' } }),
        post(`${MAPS}?dryRun=All`, { ...map, metadata: { name: 'a', resourceVersion: 'x' } }, [...LOOK, 'metadata.resourceVersion']),
        post(`${MAPS}?dryRun=All`, map, [...LOOK, 'metadata.resourceVersion']),
      ].map(within('option-dry-run-revision')),
    ],
  },
  {
    id: 'patch-json-test',
    steps: [
      ...newNamespace('patch-json-test'),
      ...[
        post(MAPS, map),
        jsonPatch({ op: 'test', path: '/data/none', value: null }),
        jsonPatch({ op: 'test', path: '/data/none', value: 'x' }),
        jsonPatch({ op: 'test', path: '/data/a', value: null }),
        jsonPatch({ op: 'test', path: '/data/a' }),
        jsonPatch({ op: 'test', path: '/none/a', value: null }),
        jsonPatch({ op: 'test', path: '/none/a/b', value: null }),
        jsonPatch({ op: 'test', path: '/metadata/managedFields/9', value: null }),
        jsonPatch({ op: 'test', path: '/binaryData', value: null }),
        jsonPatch({ op: 'test', path: '/data/none', value: null }, { op: 'add', path: '/data/b', value: '2' }),
        jsonPatch({ op: 'test', path: '/data/a', value: '1' }, { op: 'add', path: '/data/none', value: '3' }),
        jsonPatch({ op: 'remove', path: '/data/missing' }),
      ].map(within('patch-json-test')),
    ],
  },
  {
    id: 'limit-range-invalid',
    steps: [
      ...newNamespace('limit-range-invalid'),
      ...[
        limits('a', { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
        limits('a', { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }),
        limits('a', { type: 'Pod', default: { cpu: '2' }, defaultRequest: { cpu: '1' } }),
        limits('a', { type: 'Container', min: { cpu: '2' }, default: { cpu: '1' } }),
        limits('a', { type: 'Container', min: { cpu: '2' }, defaultRequest: { cpu: '1' } }),
        limits('a', { type: 'Container', max: { cpu: '2' }, default: { cpu: '3' } }),
        limits('a', { type: 'Container', max: { cpu: '2' }, defaultRequest: { cpu: '3' } }),
        limits('a', { type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '3' } }),
        limits('a', { type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }),
        limits('a', { type: 'Container', max: { cpu: '2' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }),
        limits('a', { type: 'Container', min: { cpu: '3' }, max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '4' } }),
        limits('a', { type: 'Container', max: { cpu: '1' } }, { type: 'Container', max: { cpu: '2' } }),
        limits('a', { type: 'PersistentVolumeClaim', max: { cpu: '1' } }),
        limits('a', { type: 'PersistentVolumeClaim', max: { storage: '1Gi' }, min: { storage: '2Gi' } }),
        limits('a', { type: 'PersistentVolumeClaim' }),
        limits('a', { type: '', max: { cpu: '1' } }),
        limits('a', { max: { cpu: '1' } }),
        limits('a', { type: 'Other', max: { cpu: '1' } }),
        limits('a', { type: 'example.com/own', max: { cpu: '1' } }),
        limits('a', { type: 'Container', max: { 'a b': '1' } }),
        limits('a', { type: 'Container', max: { unknown: '1' } }),
        limits('a', { type: 'Container', max: { memory: '-1' } }),
        limits('a', { type: 'Container', max: { 'example.com/a': '2' }, min: { 'example.com/a': '3' } }),
        limits('a'),
      ].map(within('limit-range-invalid')),
    ],
  },
];

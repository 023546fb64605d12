import type { ApiCase, Step } from './case.ts';
import { deployment, newNamespace, patch, post, remove, within } from './policy-case.ts';

/* Scales that are sent whole, and patches of them. */

const WEB = '/apis/apps/v1/namespaces/OWN/deployments/web/scale';
const WIDGETS = '/apis/scales.example.com/v1/widgets';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const DEFINITION = {
  metadata: { name: 'widgets.scales.example.com' },
  spec: {
    group: 'scales.example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
    ],
  },
};

const LOOK = ['spec.replicas', 'metadata.name'];
const put = (path: string, body: unknown, query = ''): Step => {
  return { method: 'PUT', path: path + query, body, look: LOOK, warnings: true };
};
const merge = (path: string, body: unknown): Step => patch(path, body, { look: LOOK, warnings: true });
const apply = (path: string, body: unknown, query = '', manager = 'cases'): Step => {
  return patch(`${path}?fieldManager=${manager}${query}`, body, {
    contentType: 'application/apply-patch+yaml',
    look: LOOK,
    warnings: true,
  });
};
const spec = { replicas: 1 };
const name = 'web';
const widget = (own: string, size: object): object => {
  return { apiVersion: 'scales.example.com/v1', kind: 'Widget', metadata: { name: own }, spec: size };
};

export const SCALE_CASES: readonly ApiCase[] = [
  {
    id: 'scale-put',
    steps: [
      ...newNamespace('scale-put'),
      ...[
        deployment('web', 0),
        ...[
          { spec },
          { metadata: null, spec },
          { metadata: { name: '' }, spec },
          { metadata: { name: 'other' }, spec },
          { metadata: { name, namespace: 'kube-system' }, spec },
          { metadata: { name: 'other', namespace: 'kube-system' }, spec },
          { metadata: { name, uid: 'x' }, spec },
          { metadata: { name, uid: 'x' }, spec: { replicas: -1 } },
          { metadata: { name, resourceVersion: '1' }, spec },
          { metadata: { name, resourceVersion: 'x' }, spec },
          { metadata: { name, labels: { '@': 'x' } }, spec: { replicas: -1 } },
          { metadata: { name, labels: 'x' }, spec },
          { metadata: { name }, spec: { replicas: 'x' } },
          { metadata: { name }, spec: { replicas: 1.5 } },
          { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name }, spec },
          { kind: 'Scale', apiVersion: 'autoscaling/v2', metadata: { name }, spec },
          { kind: 'Other', metadata: { name }, spec },
          { metadata: { name }, spec, other: 1 },
          '[]',
          'null',
          { metadata: { name } },
          { metadata: { name }, spec },
        ].map((body) => put(WEB, body)),
        put(WEB, { metadata: { name }, spec: { replicas: 2 }, other: 1 }, '?fieldValidation=Strict'),
        put(WEB, `{"metadata":{"name":"${name}"},"spec":{"replicas":2,"replicas":3}}`),
        put(WEB.replace('web', 'missing'), { spec }),
        put(WEB.replace('web', 'missing'), { metadata: { name: 'missing' }, spec }),
      ].map(within('scale-put')),
    ],
  },
  {
    id: 'scale-patch',
    steps: [
      ...newNamespace('scale-patch'),
      ...[
        deployment('web', 0),
        ...[
          { metadata: null },
          { metadata: { name: null }, spec },
          { metadata: { name: 'other' }, spec },
          { metadata: { namespace: 'kube-system' }, spec },
          { metadata: { uid: 'x' }, spec },
          { metadata: { uid: null, resourceVersion: null }, spec },
          { metadata: { labels: { '@': 'x' } } },
          { other: 1 },
        ].map((body) => merge(WEB, body)),
      ].map(within('scale-patch')),
    ],
  },
  {
    id: 'scale-custom',
    steps: [
      post(DEFINITIONS, DEFINITION),
      { ...post(WIDGETS, widget('small', { size: 1 })), patient: true },
      post(WIDGETS, widget('empty', {})),
      put(`${WIDGETS}/small/scale`, { spec }),
      put(`${WIDGETS}/small/scale`, { metadata: { name: 'small' }, spec: { replicas: 2 } }),
      put(`${WIDGETS}/small/scale`, { metadata: { name: 'small', uid: 'x' }, spec: { replicas: 3 } }),
      put(`${WIDGETS}/small/scale`, { metadata: { name: 'small', labels: { '@': 'x' } }, spec: { replicas: 3 } }),
      put(`${WIDGETS}/small/scale`, { metadata: { name: 'small' }, spec: { replicas: -1 } }),
      put(`${WIDGETS}/small/scale`, widget('small', { size: 4 })),
      merge(`${WIDGETS}/small/scale`, { metadata: { uid: 'x' }, spec }),
      merge(`${WIDGETS}/small/scale`, { metadata: null }),
      merge(`${WIDGETS}/empty/scale`, { metadata: { labels: { a: 'b' } } }),
      apply(`${WIDGETS}/small/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'small' }, spec: { replicas: 5 } }),
      apply(`${WIDGETS}/empty/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'empty' }, spec: { replicas: 5 } }),
      merge(`${WIDGETS}/empty/scale`, { spec: { replicas: -2147483648 } }),
      put(`${WIDGETS}/empty/scale`, { metadata: { name: 'empty' } }),
      remove(`${DEFINITIONS}/widgets.scales.example.com`),
    ],
  },
  {
    id: 'scale-apply',
    steps: [
      ...newNamespace('scale-apply'),
      ...[
        { ...deployment('web', 0), path: '/apis/apps/v1/namespaces/OWN/deployments?fieldManager=client' },
        apply(WEB, { spec: { replicas: 2 } }),
        apply(WEB, { metadata: { name: 'web' }, spec: { replicas: 2 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 0 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 1 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 1 } }, '&force=true'),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 2 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 3 } }, '', 'other'),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'other' }, spec: { replicas: 2 } }),
        apply(WEB, {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'web', namespace: 'kube-system' },
          spec: { replicas: 2 },
        }),
        apply(WEB, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 2 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 'x' } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: -1 } }),
        apply(WEB, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 2 }, other: 1 }),
        patch(`${WEB}`, {}, { contentType: 'application/apply-patch+yaml' }),
        apply(WEB.replace('/web/', '/none/'), {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'none' },
          spec: { replicas: 2 },
        }),
        {
          ...apply(WEB.replace('/scale', ''), {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'web' },
            spec: { replicas: 5 },
          }),
          look: ['spec.replicas'],
        },
        {
          method: 'GET' as const,
          path: WEB.replace('/scale', ''),
          look: ['manager', 'operation', 'apiVersion', 'subresource', 'fieldsV1'].map((one) => `metadata.managedFields.0.${one}`),
        },
      ].map(within('scale-apply')),
    ],
  },
];

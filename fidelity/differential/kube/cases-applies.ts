import type { ApiCase, Step } from './case.ts';
import { newNamespace, patch, post, within } from './policy-case.ts';

/* Objects that were created, and are applied later by the same client: what the server has set belongs to nobody. */

const JOBS = '/apis/batch/v1/namespaces/OWN/jobs';
const FIRST_MANAGER = ['manager', 'operation', 'fieldsV1'].map((part) => `metadata.managedFields.0.${part}`);
const SECOND_MANAGER = ['manager', 'operation', 'fieldsV1'].map((part) => `metadata.managedFields.1.${part}`);

const job = (more: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a' },
  spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] } }, ...more },
});
const apply = (path: string, body: unknown, manager: string, force = false): Step =>
  patch(`${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, body, {
    contentType: 'application/apply-patch+yaml',
    look: [...FIRST_MANAGER, ...SECOND_MANAGER],
  });

export const APPLY_CASES: readonly ApiCase[] = [
  {
    id: 'apply-created-job',
    steps: [
      ...newNamespace('apply-created-job'),
      ...[
        post(`${JOBS}?fieldManager=client`, job()),
        apply(`${JOBS}/a`, job(), 'server'),
        apply(`${JOBS}/a`, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { backoffLimit: 2 } }, 'other'),
        apply(`${JOBS}/a`, job({ parallelism: 2 }), 'server', true),
      ].map(within('apply-created-job')),
    ],
  },
  {
    id: 'apply-created-service',
    steps: [
      ...newNamespace('apply-created-service'),
      ...[
        post('NAMESPACE/services?fieldManager=client', { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], selector: { a: 'b' } } }),
        apply(
          'NAMESPACE/services/a',
          { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
          'server',
        ),
      ].map(within('apply-created-service')),
    ],
  },
  {
    id: 'apply-created-claim',
    steps: [
      ...newNamespace('apply-created-claim'),
      ...['NAMESPACE/persistentvolumeclaims']
        .flatMap((path) => {
          const claim = {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'a' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          };
          return [post(`${path}?fieldManager=client`, claim), apply(`${path}/a`, claim, 'server')];
        })
        .map(within('apply-created-claim')),
    ],
  },
];

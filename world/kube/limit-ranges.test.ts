import { expect, test } from '@playwright/test';
import { PODS, pod, withServer } from './testing/api-server.ts';

const RANGES = '/api/v1/namespaces/default/limitranges';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

interface Resources {
  readonly requests?: Record<string, string>;
  readonly limits?: Record<string, string>;
}

const podOf = (resources: Resources): object => pod('web', { containers: [{ name: 'app', image: 'app', resources }] });
const rangeOf = (...limits: readonly object[]): object => ({ metadata: { name: 'range' }, spec: { limits } });

test('containers get the defaults of a LimitRange, and an annotation says which', async () => {
  await withServer(async ({ call }) => {
    const range = await call(
      'POST',
      RANGES,
      rangeOf({ type: 'Container', max: { memory: '1Gi' }, default: { cpu: '500m' }, min: { cpu: '50m' } }),
    );
    expect(range.body.spec).toEqual({
      limits: [
        {
          type: 'Container',
          min: { cpu: '50m' },
          max: { memory: '1Gi' },
          default: { cpu: '500m', memory: '1Gi' },
          defaultRequest: { cpu: '500m', memory: '1Gi' },
        },
      ],
    });
    const { body } = await call('POST', PODS, podOf({ requests: { cpu: '100m' } }));
    expect(body.spec?.['containers']).toMatchObject([
      { resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '500m', memory: '1Gi' } } },
    ]);
    expect(body.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: memory request for container app; cpu, memory limit for container app',
    });
    expect((await call('POST', PODS.replace('default', 'kube-system'), podOf({}))).body.metadata.annotations).toBeUndefined();
  });
});

for (const { what, limit, resources, says } of [
  {
    what: 'a container with too small a request',
    limit: { type: 'Container', min: { cpu: '100m' } },
    resources: { requests: { cpu: '50m' } },
    says: 'minimum cpu usage per Container is 100m, but request is 50m',
  },
  {
    what: 'a container with too large a limit',
    limit: { type: 'Container', max: { memory: '1Gi' } },
    resources: { limits: { memory: '2048Mi' } },
    says: 'maximum memory usage per Container is 1Gi, but limit is 2Gi',
  },
  {
    what: 'a pod without a request',
    limit: { type: 'Pod', min: { cpu: '1' } },
    resources: {},
    says: 'minimum cpu usage per Pod is 1.  No request is specified',
  },
  {
    what: 'a container with too large a ratio',
    limit: { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    resources: { requests: { cpu: '100m' }, limits: { cpu: '300m' } },
    says: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  },
]) {
  test(`a LimitRange refuses ${what}`, async () => {
    await withServer(async ({ call }) => {
      await call('POST', RANGES, rangeOf(limit));
      const { status, body } = await call('POST', PODS, podOf(resources));
      expect({ status, message: body.message }).toEqual({ status: 403, message: `pods "web" is forbidden: ${says}` });
    });
  });
}

test('a LimitRange refuses claims that are too small or too large', async () => {
  await withServer(async ({ call }) => {
    await call('POST', RANGES, rangeOf({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } }));
    const claim = (storage: string): Promise<{ readonly status: number; readonly body: { readonly message?: string } }> =>
      call('POST', CLAIMS, { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } });
    expect((await claim('100Mi')).body.message).toContain('minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 100Mi');
    expect((await claim('20Gi')).body.message).toContain('maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi');
    expect((await claim('5Gi')).status).toBe(201);
  });
});

import { expect, test } from '@playwright/test';
import { withServer } from './testing/api-server.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

test('gets and lists show computed fields, without a commit; writes and watches show stored ones', async () => {
  await withServer(async ({ server, call, merge, watch }) => {
    let reads = 0;
    server.compute('leases.coordination.k8s.io', (lease) => {
      if (lease.metadata.name !== 'a') return lease;
      reads += 1;
      return { ...lease, spec: { ...(lease.spec as object), leaseTransitions: reads } };
    });
    const lease = (name: string): object => ({ metadata: { name }, spec: { holderIdentity: name } });
    const made = await call('POST', LEASES, lease('a'));
    await call('POST', LEASES, lease('b'));
    expect(made.body.spec).toEqual({ holderIdentity: 'a' });
    const { resourceVersion } = made.body.metadata;
    for (const leaseTransitions of [1, 2]) {
      const { body } = await call('GET', `${LEASES}/a`);
      expect(body).toMatchObject({ kind: 'Lease', metadata: { resourceVersion }, spec: { holderIdentity: 'a', leaseTransitions } });
    }
    const { body } = await call('GET', LEASES);
    expect(body.items?.map(({ spec }) => spec)).toEqual([{ holderIdentity: 'a', leaseTransitions: 3 }, { holderIdentity: 'b' }]);
    const { lines, stop } = await watch(`${LEASES}?watch=1&resourceVersion=${resourceVersion}`);
    const patched = await merge(`${LEASES}/a`, { spec: { leaseDurationSeconds: 7 } });
    expect(patched.body.spec).toEqual({ holderIdentity: 'a', leaseDurationSeconds: 7 });
    stop();
    expect(lines.every(({ object }) => object.spec?.['leaseTransitions'] === undefined)).toBe(true);
  });
});

import { expect, test } from '@playwright/test';
import type { NodeClaim } from '../api.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';

const MINUTE_MS = 60_000;

test('a claim is deleted at the age in its spec, and its pod runs elsewhere', async () => {
  await withEmbedded(1, [{ ...ANY_POOL, expireAfterMs: 10 * MINUTE_MS }], async ({ port, clock, deploy, until, running, log }) => {
    await deploy('web', 1, asking('500m'));
    await until('the pod runs', 5 * MINUTE_MS, async () => (await running()).length === 1);
    const [first] = await port.list<NodeClaim>('nodeclaims');
    const bornMs = Date.parse(first?.metadata.creationTimestamp ?? '');
    expect(first?.spec.expireAfter).toBe('600s');
    const isLeft = async (): Promise<boolean> => {
      const claims = await port.list<NodeClaim>('nodeclaims');
      return claims.some(({ metadata }) => metadata.uid === first?.metadata.uid && metadata.deletionTimestamp === undefined);
    };
    await clock.sleep(bornMs + 10 * MINUTE_MS - clock.nowMs() - 1_000);
    expect(await isLeft()).toBe(true);
    await until('it is being deleted', 15_000, async () => !(await isLeft()));
    await until('the pod runs again', 5 * MINUTE_MS, async () => (await running()).length === 1);
    expect(log.filter((line) => line.includes('it is older than 600s'))).toHaveLength(1);
  });
});

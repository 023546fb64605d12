import { expect, test } from '@playwright/test';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { patientKube } from './patient-kube.ts';

/** Lists pods through a client that fails this often. @returns how long it took, and how many requests it sent */
async function listPods(refusals: number, error: KubeError): Promise<{ ms: number; requests: number; failed: boolean }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  let requests = 0;
  const refusing = {
    list: () => {
      requests += 1;
      return requests <= refusals ? Promise.reject(error) : Promise.resolve([]);
    },
  } as unknown as KubeClient;
  const failed = await timeline.run(
    patientKube(refusing, clock)
      .list(RESOURCES.pods)
      .then(
        () => false,
        () => true,
      ),
  );
  return { ms: clock.nowMs(), requests, failed };
}

const slowDown = new KubeError(429, 'TooManyRequests', 'slow down', 2_000);

test('waits as long as Retry-After says', async () => {
  expect(await listPods(3, slowDown)).toEqual({ ms: 6_000, requests: 4, failed: false });
});

test('gives up after ten times', async () => {
  expect(await listPods(100, slowDown)).toEqual({ ms: 20_000, requests: 11, failed: true });
});

test('errors without Retry-After, or that are final, are not retried', async () => {
  expect(await listPods(1, new KubeError(429, 'TooManyRequests', ''))).toEqual({ ms: 0, requests: 1, failed: true });
  expect(await listPods(1, new KubeError(409, 'Conflict', '', 1_000))).toEqual({ ms: 0, requests: 1, failed: true });
});

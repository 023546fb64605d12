import { expect, test } from '@playwright/test';
import { conditionOf } from '../model/conditions.ts';
import type { KubeObject, Pod } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { createEmbeddedWorld } from './embedded.ts';
import type { EmbeddedOptions } from './embedded.ts';
import type { ClusterPort } from './ports.ts';

const MINUTE_MS = 60_000;

/** Runs `work` in an embedded world on the virtual clock. */
async function withWorld(options: EmbeddedOptions, work: (port: ClusterPort, sleep: (ms: number) => Promise<void>) => Promise<void>) {
  const timeline = createVirtualTimeline({ startMs: Date.UTC(2026, 0, 1), random: createRandom(1) });
  const fail = (error: unknown): never => {
    throw error;
  };
  const world = createEmbeddedWorld(
    { timeline, random: createRandom(1), recorder: { record: () => 0 }, onKill: () => undefined, onFailure: fail, onFlood: fail },
    options,
  );
  const clock = timeline.scope('test');
  const trial = async (): Promise<void> => {
    await world.start();
    await work(world.port('scenario'), (ms) => clock.sleep(ms));
    await world.stop();
  };
  await timeline.run(trial());
}

const CONTAINERS = [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m' } } }];
const WEB = { metadata: { name: 'web', namespace: 'default' } };

for (const { without, pods, unschedulable } of [
  { without: [], pods: 2, unschedulable: 2 },
  { without: ['scheduler'], pods: 2, unschedulable: 0 },
  { without: ['controllers'], pods: 0, unschedulable: 0 },
] as const) {
  test(`without the parts [${without.join()}]: a deployment gets ${pods} pods, and a scheduler has looked at ${unschedulable}`, async () => {
    await withWorld({ without }, async (port, sleep) => {
      const labels = { app: 'web' };
      const spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: CONTAINERS } } };
      await port.create<KubeObject & { spec: object }>('deployments', { ...WEB, spec });
      await sleep(MINUTE_MS);
      const found = await port.list<Pod>('pods', { namespace: 'default' });
      expect(found.length).toBe(pods);
      expect(found.filter((pod) => conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable').length).toBe(unschedulable);
    });
  });
}

import { expect, test } from '@playwright/test';
import { conditionOf } from '../model/conditions.ts';
import type { KubeObject, Pod } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { readText } from '../wire/wire.ts';
import { createEmbeddedWorld } from './embedded.ts';
import type { EmbeddedOptions } from './embedded.ts';
import type { ClusterPort } from './ports.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;

/** Runs `work` in an embedded world on the virtual clock. */
async function withWorld(
  options: EmbeddedOptions,
  work: (port: ClusterPort, sleep: (ms: number) => Promise<void>, world: World) => Promise<void>,
) {
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
    await work(world.port('scenario'), (ms) => clock.sleep(ms), world);
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

for (const { noLimits, takesTime, answered } of [
  { noLimits: false, takesTime: true, answered: 5 },
  { noLimits: true, takesTime: false, answered: 20 },
]) {
  test(`${noLimits ? 'without' : 'with'} limits, requests take ${takesTime ? 'time' : 'none'}, and EC2 takes ${answered} of 20 launches at once`, async () => {
    await withWorld({ noLimits }, async (_port, _sleep, world) => {
      const { kube, aws } = world.open('target', 1, world.timeline.scope('target'));
      const startMs = world.timeline.nowMs();
      const launch = async (): Promise<boolean> => {
        const form = { Action: 'RunInstances', Version: '2016-11-15', MinCount: '1', MaxCount: '1', DryRun: 'true' };
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const { body } = await aws({ method: 'POST', path: '/', headers, body: new URLSearchParams(form).toString() });
        return (await readText(body)).includes('DryRunOperation');
      };
      const launches = (count: number): Promise<boolean[]> => Promise.all(Array.from({ length: count }, launch));
      expect((await kube({ method: 'GET', path: '/api/v1/nodes', headers: {} })).status).toBe(200);
      expect((await launches(20)).filter(Boolean).length).toBe(answered);
      expect(world.timeline.nowMs() > startMs).toBe(takesTime);
      // Faults limit them anyway.
      world.ports.throttle?.limit({ operations: ['*'], capacity: 3, refillPerSecond: 0, fired: () => undefined });
      expect((await launches(20)).filter(Boolean).length).toBe(noLimits ? 3 : 0);
    });
  });
}

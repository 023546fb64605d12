import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import type { Taint, Toleration } from '../../model/kube.ts';
import { addNode, addPod, conditionIn, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { TaintEviction } from './taint-eviction.ts';

const parts = ({ port, clock, random }: PartSite): [TaintEviction] => [new TaintEviction({ port: port('workloads'), clock, random })];
const X: Taint = { key: 'x', effect: 'NoExecute' };
const tolerateX = (tolerationSeconds?: number): Toleration => {
  return { key: 'x', operator: 'Exists', effect: 'NoExecute', ...defined({ tolerationSeconds }) };
};

async function setTaints(bench: Bench, taints: Taint[]): Promise<void> {
  await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { taints: taints.length === 0 ? null : taints } });
}

async function addBound(bench: Bench, name: string, tolerations: Toleration[] = []): Promise<void> {
  await addPod(bench.port, name, { tolerations });
  await bench.port.bind({ resource: 'pods', namespace: 'default', name }, 'n1');
}

/** The pods that are not being deleted. */
async function spared(bench: Bench): Promise<string> {
  const pods = (await bench.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return pods.map(({ metadata }) => metadata.name).join(' ');
}

test('pods are evicted at once, after the shortest toleration, or never', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1');
    await addBound(bench, 'for-ever', [tolerateX()]);
    await addBound(bench, 'intolerant');
    await addBound(bench, 'minute', [{ operator: 'Exists', tolerationSeconds: 60, effect: 'NoExecute' }, tolerateX(10)]);
    await addBound(bench, 'none', [tolerateX(0)]);
    await setTaints(bench, [X, { key: 'y', effect: 'NoSchedule' }]);
    await bench.until('two left', async () => (await spared(bench)) === 'for-ever minute', 1_000);
    await bench.clock.sleep(58_000);
    expect(await spared(bench)).toBe('for-ever minute');
    await bench.until('one left', async () => (await spared(bench)) === 'for-ever', 3_000);
    await addBound(bench, 'late');
    await bench.until('it goes too', async () => (await spared(bench)) === 'for-ever', 1_000);
    expect(conditionIn(await bench.pod('minute'), 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    expect(await bench.eventsAbout('minute')).toEqual(['TaintManagerEviction: Marking for deletion Pod default/minute']);
  });
});

test('an eviction is cancelled when the taint is removed, and starts again when it comes back', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1');
    await addBound(bench, 'p1', [tolerateX(60)]);
    await setTaints(bench, [X]);
    await bench.clock.sleep(50_000);
    await setTaints(bench, []);
    await bench.clock.sleep(50_000);
    expect(await bench.eventsAbout('p1')).toEqual(['TaintManagerEviction: Cancelling deletion of Pod default/p1']);
    await setTaints(bench, [X]);
    await bench.clock.sleep(50_000);
    expect(await spared(bench)).toBe('p1');
    await bench.clock.sleep(11_000);
    expect(await spared(bench)).toBe('');
  });
});

test('another taint does not extend a running toleration', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1');
    await addBound(bench, 'p1', [tolerateX(60), { ...tolerateX(60), key: 'y' }]);
    await setTaints(bench, [X]);
    await bench.clock.sleep(50_000);
    await setTaints(bench, [{ key: 'y', effect: 'NoExecute' }]);
    await bench.clock.sleep(11_000);
    expect(await spared(bench)).toBe('');
  });
});

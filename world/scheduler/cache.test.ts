import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { LABEL } from '../../model/kube.ts';
import type { Pod } from '../../model/kube.ts';
import { makeNode, makePod } from '../testing/world-parts.ts';
import { SchedulerCache } from './cache.ts';
import type { NodeInfo } from './node-info.ts';
import { podInfo } from './pod-info.ts';

const node = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5', 'n6');
const zone = fc.constantFrom('a', 'b', 'c');
const name = fc.constantFrom('p1', 'p2', 'p3', 'p4');

const step = fc.oneof(
  fc.record({ do: fc.constant('set node' as const), node, zone, disk: fc.constantFrom('ssd', 'hdd') }),
  fc.record({ do: fc.constant('remove node' as const), node }),
  fc.record({ do: fc.constant('assign' as const), name, node, app: fc.constantFrom('web', 'db'), isDying: fc.boolean() }),
  fc.record({ do: fc.constant('forget' as const), name }),
);

function podOf(podName: string, app: string, isDying: boolean): Pod {
  const pod = makePod(podName, { cpu: '100m' });
  const deletion = isDying ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return { ...pod, metadata: { ...pod.metadata, namespace: 'default', labels: { app }, ...deletion } };
}

/** One node of each zone in turn, all of them put in order again. */
function inTurn(nodes: Iterable<NodeInfo>): string[] {
  const zones = new Map<string, string[]>();
  for (const { name: one, labels } of [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = labels[LABEL.zone] ?? '';
    zones.set(key, [...(zones.get(key) ?? []), one]);
  }
  const lists = [...zones.values()];
  return [0, 1, 2, 3, 4, 5].flatMap((round) => lists.flatMap((list) => list.slice(round, round + 1)));
}

test('the order of nodes and the sums of pods follow each change as if they were computed anew', () => {
  let sums = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const cache = new SchedulerCache();
      const there = new Map<string, NodeInfo>();
      const found: unknown[] = [];
      const wanted: unknown[] = [];
      for (const now of steps) {
        if (now.do === 'set node') {
          const made = makeNode(now.node, { zone: now.zone, labels: { disk: now.disk } });
          there.set(now.node, cache.setNode(made));
        }
        if (now.do === 'remove node') {
          cache.removeNode(now.node);
          there.delete(now.node);
        }
        if (now.do === 'assign') cache.assign(podInfo(podOf(now.name, now.app, now.isDying)), now.node);
        if (now.do === 'forget') cache.forget(`default/${now.name}`);
        found.push(cache.nodes().map((one) => one.name));
        wanted.push(inTurn(there.values()));
        const areCurrent = cache.nodes().every((one) => there.get(one.name) === one);
        found.push(areCurrent);
        wanted.push(true);
        for (const group of cache.groups()) {
          for (const key of [LABEL.zone, 'disk']) {
            const counted: Record<string, number> = {};
            for (const [nodeName, { total, terminating }] of group.counts) {
              const domain = there.get(nodeName)?.labels[key];
              if (domain !== undefined && total > terminating) counted[domain] = (counted[domain] ?? 0) + total - terminating;
            }
            sums += Object.keys(counted).length;
            found.push(Object.fromEntries([...cache.sums(group, key)].filter(([, count]) => count !== 0)));
            wanted.push(counted);
          }
        }
      }
      expect(found).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
  expect(sums).toBeGreaterThan(1_000);
});

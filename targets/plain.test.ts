import { expect, test } from '@playwright/test';
import { pool, scenario } from '../harness/scenario.ts';
import { runInProcess } from '../harness/testing/in-process.ts';
import { LABEL } from '../model/kube.ts';
import type { Pool } from '../model/catalogue.ts';
import { plain } from './plain.ts';

const arm: Pool = { ...pool('arm'), requirements: [{ key: LABEL.arch, operator: 'In', values: ['arm64'] }] };

test('an arm64 pool serves pods that require arm64', async () => {
  const graviton = scenario({
    id: 'test/graviton',
    title: 'two pods on arm64',
    pools: [arm],
    async run(t) {
      const web = await t.deploy({ name: 'web', replicas: 2, cpu: '1', memory: '1Gi', nodeSelector: { [LABEL.arch]: 'arm64' } });
      t.expect.served(web, 'provision');
      await t.untilServed(web, 'provision');
    },
  });
  const { events, judgement } = await runInProcess(graviton, plain);
  expect(judgement.checks.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([]);
  expect(judgement.verdict).toBe('pass');
  const types = events.flatMap((event) => (event.type === 'instance' && event.to === 'running' ? [event.instanceType] : []));
  expect(new Set(types)).toEqual(new Set(['c6g.large']));
});

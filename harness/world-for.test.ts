import { expect, test } from '@playwright/test';
import { EMBEDDED, EMBEDDED_IN_REAL_TIME } from '../world/embedded.ts';
import { replayWorld, worldFor } from './world-for.ts';

test('the quick machines of a real cluster can run on the virtual clock', () => {
  const quick = { kind: 'embedded', machines: 'quick' } as const;
  expect(worldFor({}, quick)).toMatchObject({
    time: 'virtual',
    facts: { name: 'embedded', capabilities: EMBEDDED.capabilities, allowances: EMBEDDED_IN_REAL_TIME.allowances },
  });
  expect(worldFor({}).facts).toEqual(EMBEDDED);
  expect(worldFor({ time: 'real' }, quick).time).toBe('real');
});

test('replay lines differ for worlds whose histories differ', () => {
  const kubeconfig = '/no/where';
  const nodes = { cluster: 'c', run: 'r', folder: '/no/where' };
  const tenancy = { run: 'r', prefix: 'p' };
  for (const [ref, told] of [
    [{ kind: 'embedded' }, { world: 'embedded' }],
    [{ kind: 'embedded', machines: 'quick' }, { world: 'embedded:quick' }],
    [
      { kind: 'kind', kubeconfig },
      { world: 'kind', ec2: 'embedded' },
    ],
    [
      { kind: 'kind', kubeconfig, ec2: 'localstack', nodes },
      { world: 'kind:real-nodes', ec2: 'localstack' },
    ],
    [
      { kind: 'existing', kubeconfig, awsEndpoint: 'http://127.0.0.1:4566', tenancy, maxInstances: 7 },
      { world: 'existing', ec2: 'localstack', maxInstances: 7 },
    ],
    [
      { kind: 'existing', kubeconfig, tenancy, maxInstances: 50, observed: {} },
      { world: 'existing', ec2: 'embedded', mode: 'observed', maxInstances: 50 },
    ],
  ] as const)
    expect(replayWorld(ref)).toEqual(told);
});

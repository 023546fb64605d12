import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { start, usersEnvironment } from '../testing/command.ts';
import { until } from '../testing/processes.ts';
import { skipWithout, withRunningWorld } from './testing/running-world.ts';

/** For each waiting command of kubectl. */
const PATIENCE = '--timeout=90s';

/** Three pods on separate nodes, of which two have to be available. */
const WEB = `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      topologySpreadConstraints:
        - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: web } } }
      containers: [{ name: main, image: pause, resources: { requests: { cpu: 500m } } }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 2, selector: { matchLabels: { app: web } } }
`;

test('kubectl and the bundled autoscaler in a running world: a deployment gets nodes, one of them is drained', async ({}, testInfo) => {
  skipWithout('kubectl', ['version', '--client']);
  test.setTimeout(600_000);
  await withRunningWorld(testInfo, async ({ run, folder, target, operator, reference }) => {
    // kubectl's discovery cache must not outlive the world.
    const cache = ['--cache-dir', join(folder, 'cache')];
    const kubectl = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run('kubectl', [...cache, ...args]);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout;
    };
    const namesOf = async (...args: string[]): Promise<string[]> =>
      (await kubectl('get', ...args, '-o', 'name')).split('\n').filter(Boolean);

    await kubectl('apply', '-f', reference.crds);
    await kubectl('wait', '--for', 'condition=established', '-f', reference.crds, PATIENCE);
    await kubectl('apply', '-f', reference.pools);
    expect(await kubectl('apply', '-f', reference.pools)).toContain('nodepool.karpenter.sh/default unchanged');
    const [program = '', ...args] = reference.command;
    const autoscaler = start(program, args, folder, { ...usersEnvironment(), ...target });
    const watch = start('kubectl', [...cache, 'get', 'pods', '--watch', '-o', 'name'], folder, { ...usersEnvironment(), ...operator });
    let seen = '';
    watch.child.stdout?.on('data', (text: string) => (seen += text));
    try {
      writeFileSync(join(folder, 'web.yaml'), WEB);
      await kubectl('apply', '-f', 'web.yaml');
      await kubectl('rollout', 'status', 'deployment/web', PATIENCE);
      const nodes = await namesOf('nodes');
      expect(nodes).toHaveLength(3);
      await kubectl('wait', '--for=condition=Ready', 'nodes', '--all', PATIENCE);
      expect(await kubectl('get', 'nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\n.* Ready +<none> .* v1\.34\./);
      const [node = ''] = nodes;
      expect(await kubectl('describe', node)).toMatch(/Allocated resources:[^]*cpu +500m/);
      const [pod = ''] = await namesOf('pods', '-l', 'app=web');
      expect(await kubectl('describe', pod)).toMatch(/Status: +Running[^]*Events:[^]*Successfully assigned/);
      await until('the watch has reported the pod', () => seen.includes(pod));

      expect(await kubectl('drain', node, '--ignore-daemonsets', PATIENCE)).toContain('evicted');
      expect(await kubectl('get', node)).toContain('Ready,SchedulingDisabled');
      await kubectl('rollout', 'status', 'deployment/web', PATIENCE);
      const places = await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}');
      expect(new Set(places.split(' ')).size).toBe(3);
      expect(places.split(' ')).not.toContain(node.replace('node/', ''));

      await kubectl(
        'patch',
        'deployment',
        'web',
        '-p',
        '{"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "other"}]}}}}',
      );
      await kubectl('rollout', 'status', 'deployment/web', PATIENCE);
      expect(await kubectl('rollout', 'history', 'deployment/web')).toMatch(/^2 +<none>$/m);
      await kubectl('label', node, 'looked-at=yes');
      await kubectl('taint', 'nodes', node.replace('node/', ''), 'looked-at=yes:NoSchedule');
      expect(await namesOf('nodes', '-l', 'looked-at=yes')).toEqual([node]);
      await kubectl('uncordon', node);

      await kubectl('delete', 'deployment/web', 'pdb/web');
      // The node's finalizer stays until its instance is terminated.
      await kubectl('delete', node, PATIENCE);
      expect(await namesOf('nodes')).not.toContain(node);
      await kubectl('delete', 'nodepool', 'default', PATIENCE);
      const left = await namesOf('nodes');
      if (left.length > 0) await kubectl('wait', '--for=delete', ...left, PATIENCE);
      expect(await namesOf('nodeclaims')).toEqual([]);
    } finally {
      watch.child.kill('SIGTERM');
      autoscaler.child.kill('SIGTERM');
      await Promise.all([watch.finished, autoscaler.finished]);
    }
    expect((await autoscaler.finished).code).toBe(0);
  });
});

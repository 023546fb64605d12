import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { formatKubeconfig } from '../../world/sockets.ts';
import { withRealTimeServer, wireOf } from '../../world/real/testing/served.ts';
import { serveWire } from '../../wire/http-server.ts';
import { createClientPort } from '../../world/real/client-port.ts';
import { resourceOfPlural } from '../../world/real/resources.ts';
import { scaleproofHere } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { askToContinue } from './confirm.ts';

for (const [flags, message] of [
  [['--yes'], '--yes is for --world existing'],
  [['--world', 'kind', '--mode', 'observed'], '--mode is for --world existing'],
  [['--max-instances', '3'], '--max-instances is for --world existing'],
  [['--world', 'existing', '--kubeconfig', 'x', '--prefix', 'My_run'], '--prefix My_run: it must be at most 20 of a-z'],
] as const) {
  test(`run ${flags.join(' ')} is a usage error`, async () => {
    const { code, stderr } = await scaleproofHere(['run', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
}

test('the plan is shown and nothing is done; without a confirmation nothing is done either', async ({}, testInfo) => {
  const kubeconfig = join(folderWith(testInfo), 'kubeconfig');
  await withRealTimeServer(async (site) => {
    const server = await serveWire({ wire: wireOf(site.api), log: () => undefined });
    try {
      writeFileSync(kubeconfig, formatKubeconfig('theirs', 'admin', server.url));
      const port = createClientPort({ ...site, resource: resourceOfPlural });
      await port.create('pods', {
        metadata: { name: 'waits', namespace: 'default' },
        spec: { containers: [{ name: 'main', image: 'app' }] },
      } as never);
      const args = [
        'run',
        '--world',
        'existing',
        '--kubeconfig',
        kubeconfig,
        '--scenario',
        'provisioning/pods-per-node',
        '--prefix',
        'mine',
      ];
      const planned = await scaleproofHere([...args, '--plan', '--max-instances', '7']);
      expect(planned.code).toBe(0);
      expect(planned.stdout).toContain(`${server.url} (context theirs, Kubernetes v1.34`);
      expect(planned.stdout).toContain('0 nodes, 1 pending pod, 0 NodePools');
      expect(planned.stdout).toMatch(/creates {8}namespace mine-[a-z0-9]+;/);
      expect(planned.stdout).toContain('at most 7 in each trial');
      const observed = await scaleproofHere([...args, '--mode', 'observed', '--yes']);
      expect(observed).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--mode observed needs an autoscaler that already runs'),
      });
      expect((await port.list('namespaces')).map(({ metadata }) => metadata.name)).not.toContainEqual(expect.stringContaining('mine-'));
    } finally {
      await server.close();
    }
  });
});

test('only yes confirms', async () => {
  const printed: string[] = [];
  const console = { out: () => undefined, err: (text: string) => void printed.push(text), interactive: true, color: false, columns: 80 };
  await askToContinue(console, () => Promise.resolve(' Y '));
  for (const answer of ['', 'n', 'maybe'])
    await expect(askToContinue(console, () => Promise.resolve(answer))).rejects.toThrow('not confirmed');
  expect(printed).toContain('Continue? [y/N] ');
});

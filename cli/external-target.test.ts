import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scaleproofHere } from './testing/command.ts';
import { BURST, folderWith } from './testing/files.ts';

function targetFile(kube: number, aws: number): string {
  const constants = { emptyAfter: '1s', termination: '1s' };
  return JSON.stringify({ name: 'theirs', external: { kube, aws, within: '1ms' }, constants, pools: { as: 'karpenter' } });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const flags of ['--workers 2', '--world kind --clusters 2']) {
  test(`an external target can serve only one trial at a time: ${flags} is a usage error`, async ({}, testInfo) => {
    const target = join(folderWith(testInfo, { 'target.yaml': targetFile(1, 2) }), 'target.yaml');
    const { code, stderr } = await scaleproofHere(['run', '--target', target, ...flags.split(' ')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flags.replace('--world kind ', '')}: theirs uses the addresses in its file`);
  });
}

test('the run prints its set-up in the embedded world too, and runs one trial after the other', async ({}, testInfo) => {
  const [kube, aws] = [await freePort(), await freePort()];
  const cwd = folderWith(testInfo, { 'target.yaml': targetFile(kube, aws), 'burst.ts': BURST });
  const args = ['run', '--target', './target.yaml', '--scenario', './burst.ts', '--trials', '2', '--out', 'out'];
  const { code, stdout, stderr } = await scaleproofHere(args, cwd);
  expect(code, stderr).toBe(3);
  const kubeconfig = join(cwd, 'out/target/kubeconfig');
  expect(stderr).toContain(`export KUBECONFIG='${kubeconfig}'`);
  expect(stderr).toContain(`http://127.0.0.1:${aws}`);
  expect(existsSync(kubeconfig)).toBe(true);
  expect(stdout).toContain(`no request of the target came to 127.0.0.1:${kube}`);
  expect(stdout).not.toContain('EADDRINUSE');
});

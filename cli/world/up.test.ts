import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { BIN, scaleproof, scaleproofHere, start } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { withRunningWorld } from './testing/running-world.ts';

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} stops a world and leaves nothing; it listens only on loopback`, async ({}, testInfo) => {
    let folder = '';
    let urls: string[] = [];
    const { code, stderr, stdout } = await withRunningWorld(testInfo, async ({ target, operator, control, reference, child, finished }) => {
      folder = dirname(target['KUBECONFIG'] ?? '');
      expect(readdirSync(folder).sort()).toEqual([
        'autoscaler.kubeconfig',
        'operator.kubeconfig',
        'reference-crds.yaml',
        'reference-pools.yaml',
      ]);
      expect(existsSync(reference.command[1] ?? '')).toBe(true);
      urls = [target, operator].flatMap(({ CLUSTER_ENDPOINT = '', AWS_ENDPOINT_URL = '', INTERRUPTION_QUEUE_URL = '' }) => [
        CLUSTER_ENDPOINT,
        AWS_ENDPOINT_URL,
        INTERRUPTION_QUEUE_URL,
      ]);
      urls.push(control);
      for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
      child.kill(signal);
      await finished;
    });
    expect({ code, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, stderr: '', lines: 1 });
    expect(existsSync(folder)).toBe(false);
    for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
}

test('a world ends, and leaves nothing, when the process that it was started for is killed', async ({}, testInfo) => {
  // Longer than a test may take.
  const owner = start('sleep', ['600'], folderWith(testInfo));
  let folder = '';
  const { code, stderr } = await withRunningWorld(
    testInfo,
    async ({ target, finished }) => {
      folder = dirname(target['KUBECONFIG'] ?? '');
      expect(existsSync(folder)).toBe(true);
      owner.child.kill('SIGKILL');
      await finished;
    },
    ['--while', String(owner.child.pid)],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(existsSync(folder)).toBe(false);

  const late = await scaleproof(['world', 'up', '--while', String(owner.child.pid)], folderWith(testInfo));
  expect({ code: late.code, stdout: late.stdout }).toEqual({ code: 2, stdout: '' });
  expect(late.stderr).toContain(`--while: there is no process ${owner.child.pid}`);
});

test('without limits, EC2 answers any number of requests, and the command says so', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const { child, finished } = start(process.execPath, [BIN, 'world', 'up', '--no-limits', '--while', String(process.pid)], cwd);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk;
      if (printed.includes('world heal')) resolve();
    });
    finished.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  expect(printed).toContain('# Without limits:');
  const url = /AWS_ENDPOINT_URL='([^']+)'/.exec(printed)?.[1] ?? '';
  const launch = { Action: 'RunInstances', Version: '2016-11-15', MinCount: '1', MaxCount: '1', DryRun: 'true' };
  const answers = Array.from({ length: 50 }, async () => {
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(launch) });
    return /<Code>(\w+)</.exec(await answer.text())?.[1];
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['DryRunOperation']));
  child.kill('SIGINT');
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
});

test('a service at a port that there is not is refused', async () => {
  for (const port of ['0', '99999']) {
    const { code, stdout, stderr } = await scaleproofHere(['world', 'up', '--service', `a/b=1.2.3.4:${port}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`--service: the port must be 1 to 65535, not ${port}`);
  }
});

test('two worlds in parallel: each has its own objects, and the history is written as events happen', async ({}, testInfo) => {
  await withRunningWorld(testInfo, async (first) => {
    await withRunningWorld(
      testInfo,
      async (second) => {
        const namespaces = (world: typeof first): string => `${world.target['CLUSTER_ENDPOINT']}/api/v1/namespaces`;
        const body = JSON.stringify({ metadata: { name: 'mine' } });
        const made = await fetch(namespaces(second), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        expect(made.status).toBe(201);
        expect((await fetch(`${namespaces(first)}/mine`)).status).toBe(404);
        const lines = readFileSync(join(second.folder, 'history.jsonl'), 'utf8').trimEnd().split('\n');
        expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(expect.objectContaining({ type: 'request.end' }));
      },
      ['--history', 'history.jsonl'],
    );
  });
});

test('an existing history file is refused, and nothing is left behind', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  writeFileSync(join(cwd, 'history.jsonl'), 'mine');
  const { code, stderr, stdout } = await scaleproof(['world', 'up', '--history', 'history.jsonl'], cwd);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('already exists: name a new file for the history');
  expect(readFileSync(join(cwd, 'history.jsonl'), 'utf8')).toBe('mine');
});

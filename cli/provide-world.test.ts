import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { createFakeEngine } from '../world/kind/testing/fake-engine.ts';
import type { FakeEngine } from '../world/kind/testing/fake-engine.ts';
import { BIN, scaleproofHere, start, usersEnvironment } from './testing/command.ts';
import { folderWith } from './testing/files.ts';
import { canSeeProcesses, until } from './testing/processes.ts';

for (const [flags, message] of [
  [['--keep'], '--keep is for --world kind'],
  [['--world', 'existing', '--kubeconfig', 'x', '--reuse', 'mine'], '--reuse is for --world kind'],
  [['--world', 'kind', '--kubeconfig', 'x'], '--world kind creates its own'],
  [['--world', 'kind', '--ec2', 'embedded', '--aws-endpoint', 'http://127.0.0.1:1'], '--aws-endpoint names a LocalStack'],
  [['--world', 'kind', '--clusters', '2', '--reuse', 'mine'], '--clusters creates clusters'],
  [['--clusters', '2'], '--clusters is for --world kind'],
  [['--world', 'kind', '--workers', '2'], '--workers is for --world embedded; a cluster runs one trial at a time: use --clusters'],
  [['--world', 'existing', '--kubeconfig', 'x', '--workers', '1'], '--workers is for --world embedded'],
  [['--ec2', 'localstack'], '--ec2 is for --world kind and existing'],
] as const) {
  test(`run ${flags.join(' ')} is a usage error`, async () => {
    const { code, stderr } = await scaleproofHere(['run', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
}

/** Starts a run in the kind world, with the test's own home directory. */
function runKind(testInfo: TestInfo, engine: FakeEngine, ...flags: string[]): ReturnType<typeof start> & { readonly cwd: string } {
  const cwd = folderWith(testInfo);
  const world = ['--world', 'kind', ...(flags.includes('localstack') ? [] : ['--ec2', 'embedded'])];
  const args = [BIN, 'run', ...world, '--scenario', 'provisioning/pods-per-node', '--out', 'out', ...flags];
  const environment = { ...usersEnvironment(), ...engine.environment, XDG_STATE_HOME: cwd, SCALEPROOF_KIND_IMAGE: 'node:1' };
  return { ...start(process.execPath, args, cwd, environment), cwd };
}

function notRun(cwd: string): unknown {
  return (JSON.parse(readFileSync(join(cwd, 'out/report.json'), 'utf8')) as { notRun: unknown }).notRun;
}

test('a cluster that does not start: a complete run directory with its logs, exit code 3, nothing left', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse('kind create cluster', 'ERROR: failed to create cluster: failed to pull image "node:1"');
  const { finished, cwd } = runKind(testInfo, engine);
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toContain("node image is not available locally and can't be pulled: load it into Docker");
  expect(notRun(cwd)).toMatchObject([{ scenario: 'provisioning/pods-per-node', reason: expect.stringContaining('node image') as unknown }]);
  const [cluster = ''] = readdirSync(join(cwd, 'out/kind'));
  expect(existsSync(join(cwd, 'out/kind', cluster, 'node/kubelet.log'))).toBe(true);
  expect(readdirSync(join(cwd, 'scaleproof'))).toEqual([]);
  expect(engine.calls()).toContainEqual(expect.stringMatching(/^kind delete cluster --name scaleproof-[a-z0-9]+-1 /));
});

test('nothing is started if the engine does not respond', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse('docker', 'Cannot connect to the Docker daemon at unix:///nowhere.');
  const { finished, cwd } = runKind(testInfo, engine);
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toContain("can't use kind: docker: its engine does not answer: start Docker");
  expect(existsSync(join(cwd, 'scaleproof'))).toBe(false);
  expect(engine.calls().filter((call) => call.startsWith('kind create'))).toEqual([]);
});

test('--reuse of a missing cluster', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse('kind get kubeconfig', "ERROR: could not locate any control plane nodes for cluster named 'mine'.");
  const { finished, cwd } = runKind(testInfo, engine, '--reuse', 'mine');
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toContain("can't use the cluster mine: kind said: ERROR: could not locate");
  expect(readdirSync(join(cwd, 'scaleproof'))).toEqual([]);
  expect(engine.calls().filter((call) => /^kind (create|delete)/.test(call))).toEqual([]);
});

test('Ctrl-C while the cluster is created: it is deleted, the report lists what was not run', async ({}, testInfo) => {
  test.skip(!canSeeProcesses, 'what is left running is looked up in /proc, which is not here');
  const engine = createFakeEngine(testInfo);
  engine.write('hang', '');
  const { child, finished, cwd } = runKind(testInfo, engine);
  await until('there is a cluster', () => engine.clusters().length > 0);
  child.kill('SIGINT');
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toMatch(/kind: cluster scaleproof-[a-z0-9]+-1 deleted/);
  expect(engine.clusters()).toEqual([]);
  expect(notRun(cwd)).toMatchObject([{ reason: 'the run was interrupted before it started' }]);
  expect(readdirSync(join(cwd, 'scaleproof'))).toEqual([]);
});

test('if LocalStack does not start, creating the cluster is aborted, and both are removed', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.write('hang', '');
  engine.refuse('docker run', "Unable to find image 'localstack/localstack:4.14.0' locally");
  const { finished, cwd } = runKind(testInfo, engine, '--ec2', 'localstack');
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toContain("LocalStack's image is not available locally and can't be pulled: set LOCALSTACK_ENDPOINT to a running one");
  expect(notRun(cwd)).toMatchObject([{ reason: expect.stringContaining('LocalStack') as unknown }]);
  expect(engine.clusters()).toEqual([]);
  expect(engine.containers()).toEqual([]);
  expect(readdirSync(join(cwd, 'scaleproof'))).toEqual([]);
});

test('Ctrl-C while LocalStack starts: the container is removed, although its id is not known yet', async ({}, testInfo) => {
  test.skip(!canSeeProcesses, 'what is left running is looked up in /proc, which is not here');
  const engine = createFakeEngine(testInfo);
  engine.write('hang', '');
  engine.write('hang-run', '');
  const { child, finished, cwd } = runKind(testInfo, engine, '--ec2', 'localstack');
  await until('there is a container', () => engine.containers().length > 0);
  child.kill('SIGINT');
  expect((await finished).code).toBe(3);
  expect(engine.containers()).toEqual([]);
  expect(readdirSync(join(cwd, 'scaleproof'))).toEqual([]);
});

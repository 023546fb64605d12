import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { until } from '../../cli/testing/processes.ts';
import { adoptKindCluster, createKindCluster, deleteKindCluster, listKindClusters } from './kind.ts';
import { exportKindLogs } from './kind-logs.ts';
import { createPrograms } from './programs.ts';
import { createFakeEngine } from './testing/fake-engine.ts';

const CONFIG = 'kind-config.yaml';

test('a cluster is created in steps, emptied, listed and deleted; no kubeconfig other than the named one is touched', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  const programs = createPrograms(engine.environment);
  const kubeconfig = testInfo.outputPath('kubeconfig');
  const steps: string[] = [];
  const onProgress = (step: string): void => void steps.push(step);
  const cluster = await createKindCluster(programs, { name: 'one', config: CONFIG, image: 'img', kubeconfig, onProgress });
  expect(steps).toEqual(['Preparing nodes', 'Emptying the cluster']);
  expect(readFileSync(kubeconfig, 'utf8')).toBe('kubeconfig of one\n');
  expect(engine.calls()).toEqual([
    `kind create cluster --name one --config ${CONFIG} --kubeconfig ${kubeconfig} --retain --image img`,
    ...['delete namespace local-path-storage --ignore-not-found --wait=false', 'delete nodes --all'].map(inCluster),
    inCluster('wait --for=create serviceaccount/default --timeout=30s'),
    inCluster('label namespace default scaleproof.trials=own'),
  ]);
  expect(await listKindClusters(programs)).toEqual(['one']);
  await deleteKindCluster(programs, cluster);
  expect(engine.clusters()).toEqual([]);
});

function inCluster(command: string): string {
  return `docker exec one-control-plane kubectl --kubeconfig=/etc/kubernetes/admin.conf ${command}`;
}

// Output of kind 0.33.0 and docker on a real machine.
const REFUSALS: readonly { readonly says: string; readonly error: RegExp }[] = [
  {
    says: 'ERROR: failed to create cluster: failed to get docker info: command "docker info --format \'{{json .}}\'" failed with error: exit status 1\n\nCommand Output: {"ID":"","ServerVersion":""}\nCannot connect to the Docker daemon at unix:///nowhere. Is the docker daemon running?',
    error: /the docker engine does not answer: start Docker/,
  },
  {
    says: 'ERROR: failed to create cluster: failed to get docker info: command "docker info --format \'{{json .}}\'" failed with error: exec: "docker": executable file not found in $PATH\n\nCommand Output: ',
    error: /docker is not installed: install Docker/,
  },
  {
    says: 'ERROR: failed to create cluster: failed to pull image "nowhere.invalid/x:1": command "docker pull nowhere.invalid/x:1" failed with error: exit status 1\n\nCommand Output: Error response from daemon: no such host',
    error: /node image is not available locally and can't be pulled: load it into Docker/,
  },
  {
    says: 'ERROR: failed to create cluster: node(s) already exist for a cluster with the name "one"',
    error: /a cluster of this name already exists: use it with --reuse NAME/,
  },
  {
    says: 'ERROR: failed to create cluster: command "docker run --name x" failed with error: exit status 125\n\nCommand Output: docker: Error response from daemon: Error starting userland proxy: listen tcp4 127.0.0.1:6443: bind: address already in use',
    error: /port for the API server is already in use: try again/,
  },
  { says: 'ERROR: something else', error: /^can't create the cluster one: kind said: ERROR: something else$/ },
];

for (const { says, error } of REFUSALS) {
  test(`a failure is reported with its fix: ${error.source}`, async ({}, testInfo) => {
    const engine = createFakeEngine(testInfo);
    engine.refuse('kind create cluster', says);
    const options = { name: 'one', config: CONFIG, kubeconfig: testInfo.outputPath('kubeconfig') };
    await expect(createKindCluster(createPrograms(engine.environment), options)).rejects.toThrow(error);
  });
}

test('a missing kind is reported with its fix', async ({}, testInfo) => {
  const programs = createPrograms({ PATH: testInfo.outputPath('empty') });
  await expect(listKindClusters(programs)).rejects.toThrow(/kind is not installed: install kind/);
});

test('an interrupted creation stops kind and what it started', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.write('hang', '');
  const programs = createPrograms(engine.environment);
  const interrupt = new AbortController();
  const cluster = { name: 'one', kubeconfig: testInfo.outputPath('kubeconfig') };
  const made = createKindCluster(programs, { ...cluster, config: CONFIG, signal: interrupt.signal });
  await until('there is a cluster', () => engine.clusters().length > 0);
  interrupt.abort(new Error('Ctrl-C'));
  await expect(made).rejects.toThrow('Ctrl-C');
  expect(existsSync(cluster.kubeconfig)).toBe(false);
  await deleteKindCluster(programs, cluster);
  expect(engine.clusters()).toEqual([]);
});

test("a cluster that can't be deleted is an error, after some tries", async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse('kind delete cluster', 'ERROR: no');
  const cluster = { name: 'one', kubeconfig: testInfo.outputPath('kubeconfig') };
  await expect(deleteKindCluster(createPrograms(engine.environment), cluster)).rejects.toThrow(/can't delete the cluster one/);
  expect(engine.calls().filter((call) => call.startsWith('kind delete'))).toHaveLength(3);
});

test('an existing cluster is adopted by name; a missing one is reported', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  const programs = createPrograms(engine.environment);
  const kubeconfig = testInfo.outputPath('kubeconfig');
  await adoptKindCluster(programs, { name: 'kept', kubeconfig });
  expect(readFileSync(kubeconfig, 'utf8').trim()).toBe('kubeconfig of kept');
  engine.refuse('kind get kubeconfig', "ERROR: could not locate any control plane nodes for cluster named 'kept'.");
  await expect(adoptKindCluster(programs, { name: 'kept', kubeconfig })).rejects.toThrow(
    /can't use the cluster kept: kind said: ERROR: could not locate/,
  );
});

test('the end of long logs is kept', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  const directory = testInfo.outputPath('logs');
  const programs = createPrograms(engine.environment);
  await exportKindLogs(programs, 'one', directory);
  expect(readFileSync(`${directory}/node/kubelet.log`, 'utf8')).toBe('log of one\n');
  writeFileSync(`${directory}/long.log`, `${'x'.repeat(3 * 2 ** 20)}the end`);
  await exportKindLogs(programs, 'one', directory);
  const text = readFileSync(`${directory}/long.log`, 'utf8');
  expect(text.length).toBeLessThan(2.1 * 2 ** 20);
  expect(text).toMatch(/^\(the first 1048583 bytes were cut off\)\nx+the end$/);
});

test.describe('with a real kind', () => {
  const image = process.env['SCALEPROOF_KIND_IMAGE'] ?? '';
  test.skip(image === '', 'SCALEPROOF_KIND_IMAGE is not set to an available node image, so no real cluster is created');

  test('a cluster is created without nodes, and deleted', async ({}, testInfo) => {
    test.setTimeout(900_000);
    const programs = createPrograms();
    const cluster = { name: `scaleproof-test-${process.pid}`, kubeconfig: testInfo.outputPath('kubeconfig') };
    try {
      await createKindCluster(programs, { ...cluster, config: CONFIG, image });
      expect(await listKindClusters(programs)).toContain(cluster.name);
      const kubectl = ['exec', `${cluster.name}-control-plane`, 'kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
      const nodes = await programs.run('docker', [...kubectl, 'get', 'nodes', '--output=name'], { limitMs: 60_000 });
      expect(nodes).toMatchObject({ code: 0, stdout: '' });
    } finally {
      await deleteKindCluster(programs, cluster);
    }
    expect(await listKindClusters(programs)).not.toContain(cluster.name);
  });
});

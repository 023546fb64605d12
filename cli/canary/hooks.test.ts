import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { start } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { canSeeProcesses, isRunning, until } from '../testing/processes.ts';
import { HookError, runHook } from './hooks.ts';
import { parsePlan } from './plan.ts';
import type { Hook, Place } from './plan.ts';

const VALUES = { ACTION: 'deploy', STAGE: '1', PERCENT: '5', BASELINE: 'v1', CANDIDATE: 'v2' };

function hookOf(source: string): Hook {
  const plan = parsePlan(
    `{name: a, baseline: b, candidate: c, share: {clusters: [{name: one, kubeconfig: k}]}, stages: [{percent: 100}], hooks: {deploy: ${source}, rollback: ${source}}}`,
    'plan.yaml',
  );
  if (plan.hooks.deploy === undefined) throw new Error('no hook');
  return plan.hooks.deploy;
}
const run = (hook: Hook, places: readonly Place[], signal = new AbortController().signal): Promise<string> =>
  runHook(hook, places, VALUES, signal).then(
    () => 'done',
    (error: unknown) => (error instanceof HookError ? error.message : Promise.reject(error as Error)),
  );

test('a command runs for each place in turn, or once; a failure ends it', async ({}, testInfo) => {
  const log = join(folderWith(testInfo), 'log');
  const script = `require("fs").appendFileSync("${log}", process.argv.slice(1).join(" ") + " " + process.env.SCALEPROOF_STAGE + "\\n"); if (process.argv[1] === "bad") process.exit(3)`;
  const command = `[${process.execPath}, -e, '${script}', "\${PLACE}", "\${PLACES}", "\${CANDIDATE}"]`;
  expect(await run(hookOf(`{command: ${command}}`), [{ name: 'x' }, { name: 'bad' }, { name: 'z' }])).toContain('exit code 3');
  expect(await run(hookOf(`{command: ${command}, for: stage}`), [{ name: 'x' }, { name: 'z' }])).toBe('done');
  expect(readFileSync(log, 'utf8')).toBe('x x,bad,z v2 1\nbad x,bad,z v2 1\n x,z v2 1\n');
});

test('the error says why a command failed', async () => {
  expect(await run(hookOf('{command: [there-is-no-such-program]}'), [{ name: 'x' }])).toBe(
    'the deploy hook `there-is-no-such-program`: there is no such program',
  );
  const late = hookOf(`{command: [${process.execPath}, -e, "setInterval(() => 0, 1000)"], timeout: 300ms}`);
  expect(await run(late, [{ name: 'x' }])).toContain('it did not finish within 0.3 s');
});

for (const [what, output] of [
  ['with its output closed', '>/dev/null 2>&1'],
  ['with its output open', ''],
] as const)
  test(`a background process of a command is killed with it, and nothing else: ${what}`, async ({}, testInfo) => {
    test.skip(!canSeeProcesses, 'the system has no /proc');
    const folder = folderWith(testInfo);
    // Longer than a test may take, so waiting for it fails the test.
    const other = start('sleep', ['600'], folder);
    try {
      const script = `sleep 600 ${output} & echo $! > ${join(folder, 'pid')}; echo ok`;
      expect(await run(hookOf(`{command: [sh, -c, ${JSON.stringify(script)}]}`), [{ name: 'x' }])).toBe('done');
      const left = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      await until('it is killed', () => !isRunning(left));
      expect(isRunning(other.child.pid ?? 0)).toBe(true);
    } finally {
      other.child.kill();
      await other.finished;
    }
  });

test('an interrupted canary does not wait for its hook', async () => {
  const controller = new AbortController();
  const endless = hookOf(`{command: [${process.execPath}, -e, "setInterval(() => 0, 1000)"]}`);
  const running = run(endless, [{ name: 'x' }], controller.signal);
  controller.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
});

test('a patch goes to the API server of each place, with its values filled in', async ({}, testInfo) => {
  const seen: unknown[] = [];
  let looks = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.method === 'PATCH') seen.push([request.method, request.url, request.headers['content-type'], JSON.parse(body)]);
      else looks += 1;
      const isThere = request.url?.endsWith('/karpenter') === true;
      // Only the second look finds the new replica available, and the old one gone.
      const status = { observedGeneration: 2, replicas: looks < 2 ? 2 : 1, updatedReplicas: 1, availableReplicas: 1 };
      const object = { metadata: { generation: 2 }, spec: { replicas: 1 }, ...(looks === 0 ? {} : { status }) };
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isThere ? object : { kind: 'Status', message: 'deployments.apps "other" not found' }));
    });
  }).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const kubeconfig = join(
      folderWith(testInfo, {
        kubeconfig: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          'current-context': 'c',
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
          clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
          users: [{ name: 'u', user: {} }],
        }),
      }),
      'kubeconfig',
    );
    const body = '{spec: {template: {spec: {containers: [{name: controller, image: "karpenter:${CANDIDATE}"}]}}}}';
    const patch = (name: string): Hook =>
      hookOf(`{patch: {apiVersion: apps/v1, resource: deployments, namespace: kube-system, name: ${name}, body: ${body}}}`);
    expect(await run(patch('karpenter'), [{ name: 'one', kubeconfig }])).toBe('done');
    expect(looks).toBe(2);
    looks = -1_000;
    expect(await run({ ...patch('karpenter'), timeout: 2_000 }, [{ name: 'one', kubeconfig }])).toContain(
      "can't patch deployments kube-system/karpenter in one: the rollout did not finish within 2 s",
    );
    seen.pop();
    looks = 0;
    expect(seen).toEqual([
      [
        'PATCH',
        '/apis/apps/v1/namespaces/kube-system/deployments/karpenter',
        'application/strategic-merge-patch+json',
        { spec: { template: { spec: { containers: [{ name: 'controller', image: 'karpenter:v2' }] } } } },
      ],
    ]);
    expect(await run(patch('other'), [{ name: 'one', kubeconfig }])).toBe(
      'the deploy hook can\'t patch deployments kube-system/other in one: it answered 404: deployments.apps "other" not found',
    );
    expect(await run(patch('karpenter'), [{ name: 'one', kubeconfig: '/nowhere' }])).toContain(
      "can't patch deployments kube-system/karpenter in one: ",
    );
  } finally {
    server.close();
  }
});

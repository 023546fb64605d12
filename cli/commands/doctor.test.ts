import { mkdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createFakeEngine } from '../../world/kind/testing/fake-engine.ts';
import { scaleproofHere } from '../testing/command.ts';
import type { Environment, Finished } from '../testing/command.ts';

/** Runs doctor with the process's environment and these variables. */
function doctor(args: readonly string[], environment: Environment): Promise<Finished> {
  return scaleproofHere(['doctor', ...args], '.', { LOCALSTACK_ENDPOINT: undefined, SCALEPROOF_KIND_IMAGE: undefined, ...environment });
}

test('everything is installed: exit code 0, no colours in a pipe', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.write('image', '');
  const { code, stdout, stderr } = await doctor([], { ...engine.environment, SCALEPROOF_KIND_IMAGE: 'node:1' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok +node +v/);
  expect(stdout).toMatch(/^ok +docker +engine 27\.0\.0$/m);
  expect(stdout).toMatch(/^ok +kind +v0\.33\.0$/m);
  expect(stdout).toMatch(/^ok +node image +node:1$/m);
  expect(stdout).toContain('Everything that --world kind needs is here.');
});

test('missing requirements are listed with their fix: exit code 1', async ({}, testInfo) => {
  const empty = testInfo.outputPath('empty');
  mkdirSync(empty);
  const { code, stdout } = await doctor(['--json'], { PATH: empty, LOCALSTACK_ENDPOINT: 'http://127.0.0.1:1', CHROMIUM_PATH: '/nowhere' });
  expect(code).toBe(1);
  const { ready, requirements } = JSON.parse(stdout) as { ready: boolean; requirements: { name: string; ok: boolean; fix?: string }[] };
  expect(ready).toBe(false);
  const missing = requirements.filter(({ ok }) => !ok);
  expect(missing.map(({ name }) => name)).toEqual(['docker', 'kind', 'LocalStack', 'chromium']);
  for (const { fix } of missing) expect(fix).toMatch(/install|start/);
});

test('an engine that does not respond is not reported as missing', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse('docker', 'Cannot connect to the Docker daemon at unix:///nowhere.');
  const { code, stdout } = await doctor([], engine.environment);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^missing +docker +its engine does not answer\n +start Docker, or set DOCKER_HOST/m);
});

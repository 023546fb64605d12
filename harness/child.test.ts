import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { sourceConditions } from './supervisor.ts';
import { DEFAULT_NODES } from './trial-spec.ts';
import type { TrialSpec } from './trial-spec.ts';

test('a process whose supervisor is gone ends, and the target is not blamed', async ({}, testInfo) => {
  const spec: TrialSpec = {
    scenario: { module: new URL('./testing/endless.ts', import.meta.url).href, export: 'endless' },
    suite: 'test',
    scenarioDigest: '0'.repeat(64),
    target: { name: 'reference' },
    seed: 1,
    nodes: DEFAULT_NODES,
    historyPath: testInfo.outputPath('history.jsonl'),
  };
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
    execArgv: [...sourceConditions(), '--no-warnings'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
  });
  try {
    child.stdio[4]?.on('data', () => undefined);
    child.send(spec);
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.disconnect();
    expect(await exited).toEqual([null, 'SIGKILL']);
  } finally {
    child.kill('SIGKILL');
  }
  const history = readFileSync(spec.historyPath, 'utf8');
  expect(history).toContain('"type":"target.start"');
  expect(history).not.toContain('"type":"target.exit"');
});

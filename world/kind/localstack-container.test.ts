import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { LOCALSTACK_IMAGE, startLocalStack, stopLocalStack } from './localstack-container.ts';
import { createPrograms } from './programs.ts';
import { createFakeEngine } from './testing/fake-engine.ts';

const SITE = { run: 'abc', region: 'us-east-1', clock: createRealTimeline().scope('test') };

test('LocalStack is up when it reports healthy, on loopback, in a container with the label of its run', async ({}, testInfo) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    // As LocalStack does while it starts.
    if (asked === 1) return void response.writeHead(503).end();
    response.end(JSON.stringify({ version: '4.14.0', services: { ec2: 'available', sqs: 'available' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const engine = createFakeEngine(testInfo);
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    engine.write('port', `${address}\n`);
    const programs = createPrograms(engine.environment);
    const { id, endpoint } = await startLocalStack(programs, SITE);
    expect(endpoint).toBe(`http://${address}`);
    expect(asked).toBe(2);
    const [started = ''] = engine.calls();
    expect(started).toContain('--label scaleproof.run=abc --publish 127.0.0.1::4566');
    expect(started).toContain(LOCALSTACK_IMAGE);
    await stopLocalStack(programs, id);
    expect(engine.containers()).toEqual([]);
  } finally {
    server.close();
  }
});

test('a missing image that cannot be pulled is reported with its fix', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  engine.refuse(
    'docker run',
    `Unable to find image '${LOCALSTACK_IMAGE}' locally\ndocker: Error response from daemon: failed to resolve reference.`,
  );
  await expect(startLocalStack(createPrograms(engine.environment), SITE)).rejects.toThrow(
    /can't start LocalStack.*pull.*LOCALSTACK_ENDPOINT.*--ec2 embedded/s,
  );
});

test('an interrupted start is cleaned up', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  // Nothing listens on that port.
  engine.write('port', '127.0.0.1:1\n');
  const interrupt = new AbortController();
  const started = startLocalStack(createPrograms(engine.environment), { ...SITE, signal: interrupt.signal });
  const ended = expect(started).rejects.toThrow('Ctrl-C');
  await expect.poll(() => engine.calls().some((call) => call.startsWith('docker port'))).toBe(true);
  interrupt.abort(new Error('Ctrl-C'));
  await ended;
  expect(engine.containers()).toEqual([]);
});

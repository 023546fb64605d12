import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { Wire } from '../wire/wire.ts';
import { withTokenFile } from './token-file.ts';

/** A server that accepts a set of tokens, and the tokens that it has received. */
function setUp(info: TestInfo) {
  const path = info.outputPath('token');
  const write = (token: string): void => writeFileSync(path, `${token}\n`);
  write('first');
  const accepted = new Set(['first']);
  const clock = { now: 1_000, nowMs: () => clock.now };
  const server: Wire = (request) => {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    return Promise.resolve({ status: accepted.has(token) ? 200 : 401, headers: { token }, body: '' });
  };
  const wire = withTokenFile(path, server, clock);
  const ask = async (): Promise<string> => {
    const { status, headers } = await wire({ method: 'GET', path: '/', headers: {} });
    return `${status} ${String(headers['token'])}`;
  };
  return { path, write, accepted, clock, ask };
}

test('a token that was renewed is used within a minute', async ({}, info) => {
  const { write, accepted, clock, ask } = setUp(info);
  accepted.add('second');
  write('second');
  expect(await ask()).toBe('200 first');
  clock.now += 60_000;
  expect(await ask()).toBe('200 second');
});

test('a refused token is read again for the next request', async ({}, info) => {
  const { write, accepted, clock, ask } = setUp(info);
  accepted.clear();
  accepted.add('second');
  write('second');
  clock.now += 1;
  expect(await ask()).toBe('401 first');
  expect(await ask()).toBe('200 second');
});

test('while the file can’t be read, the last token stays in use', async ({}, info) => {
  const { path, write, accepted, clock, ask } = setUp(info);
  rmSync(path);
  clock.now += 60_000;
  expect(await ask()).toBe('200 first');
  accepted.add('second');
  write('second');
  expect(await ask()).toBe('200 second');
});

test('without a token at the start, the error names the file', ({}, info) => {
  const { path, write } = setUp(info);
  write('');
  expect(() => withTokenFile(path, () => Promise.reject(new Error('no request expected')), { nowMs: () => 0 })).toThrow(`${path} is empty`);
});

import { expect, test } from '@playwright/test';
import type { AddressInfo } from 'node:net';
import { serveMetrics } from './metrics-server.ts';

test('metrics and probes, on loopback', async () => {
  let isReady = false;
  const server = await serveMetrics({ metrics: () => 'a 1\n', isReady: () => isReady }, { host: '127.0.0.1', port: 0 });
  try {
    const { port, address } = server.address() as AddressInfo;
    expect(address).toBe('127.0.0.1');
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get('/metrics')).toEqual([200, 'a 1\n']);
    expect(await get('/healthz')).toEqual([200, 'ok']);
    expect(await get('/readyz')).toEqual([503, 'not ready']);
    isReady = true;
    expect(await get('/readyz')).toEqual([200, 'ok']);
    expect((await get('/'))[0]).toBe(404);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

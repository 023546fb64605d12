import { createServer } from 'node:http';
import type { Server } from 'node:http';

/** What is served. */
interface MetricsSite {
  metrics(): string;
  isReady(): boolean;
}

/** Serves `/metrics` for Prometheus, and the probes `/healthz` and `/readyz`. @throws when the port is not available */
export async function serveMetrics(site: MetricsSite, { host, port }: { readonly host: string; readonly port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    const { status, body } = answer(site, request.url ?? '');
    response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body);
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  return server;
}

function answer(site: MetricsSite, url: string): { status: number; body: string } {
  switch (url.split('?')[0]) {
    case '/metrics':
      return { status: 200, body: site.metrics() };
    case '/healthz':
      return { status: 200, body: 'ok' };
    case '/readyz':
      return site.isReady() ? { status: 200, body: 'ok' } : { status: 503, body: 'not ready' };
    default:
      return { status: 404, body: 'not found' };
  }
}

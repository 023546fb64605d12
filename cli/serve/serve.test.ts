import { request as sendRequest } from 'node:http';
import { expect, test } from '@playwright/test';
import type { GateDecision, GateVerdict } from '../../gate/verdict.ts';
import { actionFor } from '../../gate/verdict.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { GateJobs, MAX_WAITING } from './jobs.ts';
import type { GateQuestion } from './jobs.ts';
import { createGateMetrics } from './metrics.ts';
import { serveGates } from './server.ts';
import type { GateServer } from './server.ts';

/** A gate that ends when the test says so. */
interface OpenGate extends GateQuestion {
  readonly end: (verdict: GateVerdict) => void;
  readonly break: (message: string) => void;
}

interface Served {
  readonly server: GateServer;
  readonly jobs: GateJobs;
  readonly open: OpenGate[];
  readonly stop: () => void;
  /** What the next `method path` is answered. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; body: unknown }>;
}

function decision(verdict: GateVerdict): GateDecision {
  return {
    verdict,
    action: actionFor(verdict),
    sentence: `It is ${verdict}.`,
    criteria: [],
    phases: [],
    episodes: { isPaired: true, baseline: 75, candidate: 75, seen: 75 },
    needs: { episodes: 0, sentences: [] },
  };
}

async function serving(body: (served: Served) => Promise<void>, token?: string): Promise<void> {
  const stopping = new AbortController();
  const open: OpenGate[] = [];
  const metrics = createGateMetrics('core');
  const jobs = new GateJobs(
    (question, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        open.push({ ...question, end: (verdict) => resolve(decision(verdict)), break: (message) => reject(new Error(message)) });
      }),
    { clock: createRealTimeline().scope('serve'), signal: stopping.signal, onEnd: (job) => metrics.ended(job) },
  );
  const known = ['reference', 'next', 'other'];
  const server = await serveGates(
    {
      jobs,
      choose: ({ baseline = 'reference', candidate = 'next' }) => {
        const stranger = [baseline, candidate].find((name) => !known.includes(name));
        return stranger === undefined ? { baseline, candidate } : { refused: `there is no target ${stranger}` };
      },
      metrics: () => metrics.text(jobs),
      token,
      isReady: () => !stopping.signal.aborted,
    },
    { host: '127.0.0.1', port: 0 },
  );
  const ask: Served['ask'] = async (method, path, sent, headers = {}) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: answer.headers.get('content-type') === 'application/json' ? (JSON.parse(text) as unknown) : text,
    };
  };
  try {
    await body({ server, jobs, open, ask, stop: () => stopping.abort(new Error('stopped')) });
  } finally {
    stopping.abort(new Error('over'));
    await server.close();
    await jobs.idle();
  }
}

/** As Flagger v1.44 posts it. */
const FLAGGER = { name: 'karpenter', namespace: 'kube-system', phase: 'Progressing', checksum: '5d8f7b', metadata: { candidate: 'next' } };

/** What a hook is answered, as Flagger reads it. */
async function hook({ ask }: Served, name: string, change: object = {}): Promise<boolean> {
  const { status } = await ask('POST', `/flagger/${name}`, { ...FLAGGER, ...change });
  expect(status, 'an empty answer is no answer').not.toBe(204);
  return status <= 202;
}

test('a gate is started, watched and read, as Argo Rollouts reads it; the same question finds the same gate', async () => {
  await serving(async ({ ask, open, jobs }) => {
    expect(await ask('GET', '/v1/verdict?candidate=next')).toMatchObject({ status: 503 });
    const first = await ask('POST', '/v1/gates', { candidate: 'next' });
    expect(first).toEqual({ status: 202, body: { id: 'gate-1', baseline: 'reference', candidate: 'next', status: 'running' } });
    expect(await ask('POST', '/v1/gates', {})).toMatchObject({ status: 202, body: { id: 'gate-1' } });
    expect(await ask('POST', '/v1/gates', { candidate: 'other' })).toMatchObject({ body: { id: 'gate-2', status: 'waiting' } });
    const running = { verdict: 'inconclusive', reason: 'gate-1 is running' };
    expect(await ask('GET', '/v1/verdict?candidate=next')).toMatchObject({ status: 200, body: { result: running } });
    open[0]?.end('pass');
    await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
    const result = { verdict: 'pass', reason: 'It is pass.', decision: decision('pass') };
    expect(await ask('GET', '/v1/gates/gate-1')).toMatchObject({ status: 200, body: { status: 'done', result } });
    expect(await ask('GET', '/v1/verdict?candidate=next')).toMatchObject({ status: 200, body: { result: { verdict: 'pass' } } });
    await expect.poll(() => open.length).toBe(2);
    open[1]?.break('no such file');
    await expect.poll(() => jobs.get('gate-2')?.status).toBe('done');
    const failed = { verdict: 'inconclusive', reason: 'the gate could not be run: no such file' };
    expect(await ask('GET', '/v1/verdict?candidate=other')).toMatchObject({ status: 200, body: { result: failed } });
    expect(await ask('POST', '/v1/gates', {}), 'what has ended is asked anew').toMatchObject({ body: { id: 'gate-3' } });
    expect(await ask('GET', '/v1/verdict'), 'and an older pass is no longer told').toMatchObject({
      body: { result: { verdict: 'inconclusive' } },
    });
    const metrics = (await ask('GET', '/metrics')).body as string;
    for (const line of [
      'scaleproof_gate_verdict{profile="core",target="next"} 0',
      'scaleproof_gate_verdict{profile="core",target="other"} 3',
      'scaleproof_gate_runs_total{profile="core",target="next",verdict="pass"} 1',
      'scaleproof_gate_runs_total{profile="core",target="other",verdict="inconclusive"} 1',
    ])
      expect(metrics.split('\n')).toContain(line);
    expect(metrics).toMatch(/^scaleproof_gate_duration_seconds\{profile="core",target="next"\} [\d.]+$/m);
  });
});

test('an idempotency key finds its gate, also when it has ended', async () => {
  await serving(async ({ ask, open, jobs }) => {
    const key = { 'idempotency-key': 'release-7' };
    expect(await ask('POST', '/v1/gates', {}, key)).toMatchObject({ status: 202, body: { id: 'gate-1' } });
    open[0]?.end('fail');
    await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
    expect(await ask('POST', '/v1/gates', {}, key)).toMatchObject({ status: 200, body: { id: 'gate-1', result: { verdict: 'fail' } } });
    expect(await ask('POST', '/v1/gates', { key: 'release-8' })).toMatchObject({ status: 202, body: { id: 'gate-2' } });
  });
});

for (const [verdict, answers] of [
  ['pass', { 'pre-rollout': true, rollout: true, 'confirm-traffic-increase': true, 'confirm-promotion': true, rollback: false }],
  ['fail', { 'pre-rollout': false, rollout: false, 'confirm-traffic-increase': false, 'confirm-promotion': false, rollback: true }],
  // Nothing is promoted, and nothing rolled back.
  ['inconclusive', { 'pre-rollout': true, rollout: true, 'confirm-traffic-increase': false, 'confirm-promotion': false, rollback: false }],
] as const) {
  test(`Flagger's hooks: a gate that ends with ${verdict}`, async () => {
    await serving(async (served) => {
      const { open, jobs } = served;
      expect(await hook(served, 'rollback'), 'nothing is known').toBe(false);
      expect(await hook(served, 'confirm-promotion')).toBe(false);
      expect(open, 'only the beginning of a rollout starts a gate').toEqual([]);
      expect(await hook(served, 'pre-rollout'), 'it has begun').toBe(true);
      expect(await hook(served, 'rollout')).toBe(true);
      expect(await hook(served, 'confirm-promotion'), 'it is waited for').toBe(false);
      expect(await hook(served, 'rollback')).toBe(false);
      expect(open).toHaveLength(1);
      open[0]?.end(verdict);
      await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
      const told = Object.fromEntries(
        await Promise.all(Object.keys(answers).map(async (name) => [name, await hook(served, name)] as const)),
      );
      expect(told).toEqual(answers);
      expect(await hook(served, 'post-rollout')).toBe(true);
      expect(await hook(served, 'event', { metadata: { eventMessage: 'Canary failed!', eventType: 'Warning', timestamp: '1' } })).toBe(
        true,
      );
      expect(open, 'one version is one gate').toHaveLength(1);
      expect(await hook(served, 'pre-rollout', { checksum: '77aa' })).toBe(true);
      await expect.poll(() => open.length, 'the next version is another one').toBe(2);
    });
  });
}

test('what can be asked for is bounded', async () => {
  await serving(async ({ ask, jobs }) => {
    for (let index = 0; index <= MAX_WAITING; index += 1) expect((await ask('POST', '/v1/gates', { key: `k${index}` })).status).toBe(202);
    expect(await ask('POST', '/v1/gates', { key: 'one more' })).toMatchObject({
      status: 503,
      body: { error: '16 gates are waiting already; ask again later' },
    });
    expect(jobs.list()).toHaveLength(MAX_WAITING + 1);
    expect(await ask('POST', '/v1/gates', `{"candidate":"${'x'.repeat(70_000)}"}`)).toMatchObject({ status: 413 });
  });
});

test('what is wrong with a request is said', async () => {
  await serving(async (served) => {
    const { ask } = served;
    for (const [method, path, body, status, message] of [
      ['POST', '/v1/gates', { candidate: '../../etc' }, 422, 'there is no target ../../etc'],
      ['POST', '/v1/gates', { candidat: 'next' }, 400, 'candidat'],
      ['POST', '/v1/gates', 'candidate=next', 400, 'not JSON'],
      ['GET', '/v1/gates/gate-9', undefined, 404, 'there is no gate gate-9'],
      ['DELETE', '/v1/gates', undefined, 404, 'POST /v1/gates'],
      ['POST', '/flagger/rollouts', FLAGGER, 404, 'POST /flagger/'],
      ['POST', '/flagger/rollout', { name: 'x' }, 400, 'namespace'],
      ['POST', '/flagger/rollout', { ...FLAGGER, metadata: { candidate: 'stranger' } }, 422, 'there is no target stranger'],
    ] as const) {
      const answer = await ask(method, path, body);
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(JSON.stringify(answer.body)).toContain(message);
    }
    expect(served.jobs.list()).toEqual([]);
  });
});

test('with a token nothing but the probes is told to strangers', async () => {
  await serving(async ({ ask }) => {
    for (const authorization of [undefined, 'Bearer wrong', 'Basic secret', 'Bearer secret2'])
      for (const path of ['/v1/gates', '/metrics'])
        expect((await ask('GET', path, undefined, authorization === undefined ? {} : { authorization })).status).toBe(401);
    for (const path of ['/healthz', '/readyz']) expect((await ask('GET', path)).status).toBe(200);
    expect((await ask('GET', '/v1/gates', undefined, { authorization: 'Bearer secret' })).status).toBe(200);
    // Flagger sends no headers.
    expect((await ask('POST', '/flagger/rollout', FLAGGER)).status).toBe(401);
    expect((await ask('POST', '/flagger/rollout', { ...FLAGGER, metadata: { token: 'wrong' } })).status).toBe(401);
    expect((await ask('POST', '/flagger/rollout', { ...FLAGGER, metadata: { token: 'secret' } })).status).toBe(200);
    expect((await ask('POST', '/flagger/event', FLAGGER)).status).toBe(200);
  }, 'secret');
});

test('a stop ends the gate that runs and says so; a client that says nothing holds up nobody', async () => {
  await serving(async ({ server, ask, jobs, stop }) => {
    await ask('POST', '/v1/gates', { key: 'a' });
    await ask('POST', '/v1/gates', { key: 'b' });
    const silent = sendRequest(`${server.url}/v1/gates`, { method: 'POST', headers: { 'content-length': '10' } });
    silent.on('error', () => undefined);
    silent.flushHeaders();
    stop();
    await jobs.idle();
    expect((await ask('GET', '/readyz')).status).toBe(503);
    expect(await ask('GET', '/v1/gates/gate-1')).toMatchObject({ body: { result: { verdict: 'inconclusive' } } });
    expect(jobs.get('gate-2')?.status, 'none is begun any more').toBe('waiting');
    await server.close();
    await expect(ask('GET', '/healthz')).rejects.toThrow();
  });
});

test('a key says which version is meant; what could not be run is run again', async () => {
  await serving(async ({ ask, open }) => {
    const begin = (key: string): ReturnType<typeof ask> => ask('POST', '/v1/gates', { candidate: 'next', key });
    await begin('v1');
    open[0]?.end('pass');
    await expect.poll(async () => (await ask('GET', '/v1/verdict?key=v1')).body).toMatchObject({ result: { verdict: 'pass' } });
    // The next version has the same name: an older one's pass must not be taken for its own.
    expect((await ask('GET', '/v1/verdict?key=v2')).status).toBe(503);
    await begin('v2');
    expect((await ask('GET', '/v1/verdict?key=v2')).body).toMatchObject({ result: { verdict: 'inconclusive' } });
    open[1]?.break('no room on the disk');
    await expect.poll(async () => JSON.stringify((await ask('GET', '/v1/verdict?key=v2')).body)).toContain('no room on the disk');
    expect((await begin('v2')).status).toBe(202);
    open[2]?.end('fail');
    await expect.poll(async () => (await ask('GET', '/v1/verdict?key=v2')).body).toMatchObject({ result: { verdict: 'fail' } });
    expect((await ask('GET', '/v1/verdict?key=v1')).body).toMatchObject({ result: { verdict: 'pass' } });
  });
});

test('a page of a browser can neither ask nor begin anything', async () => {
  await serving(async ({ ask, server }) => {
    expect((await ask('POST', '/v1/gates', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const { hostname, port } = new URL(server.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      sendRequest({ hostname, port, path: '/v1/gates', headers: { host: `rebound.example:${port}` } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .once('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });
});

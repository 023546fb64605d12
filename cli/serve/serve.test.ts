import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { GateDecision, GateVerdict } from '../../gate/verdict.ts';
import { actionFor } from '../../gate/verdict.ts';
import { defined } from '../../model/defined.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { ownVersion } from '../own-version.ts';
import { scaleproof, scaleproofHere, startScaleproof } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { chooserOf, fromBefore } from './chooser.ts';
import { GateJobs, MAX_WAITING } from './jobs.ts';
import type { GateJob, GateQuestion } from './jobs.ts';
import { MAX_LINES, openKeptGates } from './kept-gates.ts';
import { createGateMetrics, profileLabel } from './metrics.ts';
import { serveGates } from './server.ts';
import type { GateServer, Site } from './server.ts';

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
  /** Sends a request. */
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

interface Setting {
  readonly token?: string;
  /** The directory that stores gates. */
  readonly state?: string;
  /** The settings of its gates. */
  readonly settings?: string;
  readonly choose?: Site['choose'];
}

const NOTE = 'laxer than the default: success.p0 0.9 (0.999)';
const KNOWN = ['reference', 'next', 'other'];

const chooseKnown: Site['choose'] = ({ baseline = 'reference', candidate = 'next' }) => {
  const unknown = [baseline, candidate].find((name) => !KNOWN.includes(name));
  return unknown === undefined ? { baseline, candidate } : { refused: `there is no target ${unknown}` };
};

async function serving(
  body: (served: Served) => Promise<void>,
  { token, state, settings = 'settings', choose = chooseKnown }: Setting = {},
): Promise<void> {
  const stopping = new AbortController();
  const open: OpenGate[] = [];
  const metrics = createGateMetrics('core');
  const kept = state === undefined ? undefined : openKeptGates(state, settings);
  const jobs = new GateJobs(
    (question, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        open.push({
          ...question,
          end: (verdict) => resolve({ decision: decision(verdict), notes: [NOTE] }),
          break: (message) => reject(new Error(message)),
        });
      }),
    {
      clock: createRealTimeline().scope('serve'),
      signal: stopping.signal,
      before: kept?.before.map((job) => fromBefore(job, choose)) ?? [],
      onChange: (job) => {
        if (job.status === 'done') metrics.ended(job);
        kept?.keep(job);
      },
    },
  );
  const server = await serveGates(
    {
      jobs,
      choose,
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
      ...defined({ body: typeof sent === 'string' || sent === undefined ? sent : JSON.stringify(sent) }),
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
    kept?.close();
  }
}

/** As Flagger v1.44 posts it. */
const FLAGGER = { name: 'karpenter', namespace: 'kube-system', phase: 'Progressing', checksum: '5d8f7b', metadata: { candidate: 'next' } };

/** Calls a hook. @returns yes or no, as Flagger reads the response */
async function hook({ ask }: Served, name: string, change: object = {}): Promise<boolean> {
  const { status } = await ask('POST', `/flagger/${name}`, { ...FLAGGER, ...change });
  expect(status, 'Flagger treats 204 as an error').not.toBe(204);
  return status <= 202;
}

test('a gate is started, polled and read, as Argo Rollouts does it; the same question finds the same gate', async () => {
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
    expect(await ask('GET', '/v1/verdict?candidate=next')).toMatchObject({
      status: 200,
      body: { result: { verdict: 'pass', notes: [NOTE] } },
    });
    await expect.poll(() => open.length).toBe(2);
    open[1]?.break('no such file');
    await expect.poll(() => jobs.get('gate-2')?.status).toBe('done');
    const failed = { verdict: 'inconclusive', reason: 'the gate could not be run: no such file' };
    expect(await ask('GET', '/v1/verdict?candidate=other')).toMatchObject({ status: 200, body: { result: failed } });
    expect(await ask('POST', '/v1/gates', {}), 'a finished gate is run again').toMatchObject({ body: { id: 'gate-3' } });
    expect(await ask('GET', '/v1/verdict'), 'the older pass is no longer reported').toMatchObject({
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

test('an idempotency key finds its gate, even after it has ended', async () => {
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
      expect(await hook(served, 'rollback'), 'there is no gate').toBe(false);
      expect(await hook(served, 'confirm-promotion')).toBe(false);
      expect(open, 'only the start of a rollout starts a gate').toEqual([]);
      expect(await hook(served, 'pre-rollout'), 'the gate is running').toBe(true);
      expect(await hook(served, 'rollout')).toBe(true);
      expect(await hook(served, 'confirm-promotion'), 'Flagger waits for the gate').toBe(false);
      expect(await hook(served, 'rollback')).toBe(false);
      expect(open).toHaveLength(1);
      open[0]?.end(verdict);
      await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
      const actual = Object.fromEntries(
        await Promise.all(Object.keys(answers).map(async (name) => [name, await hook(served, name)] as const)),
      );
      expect(actual).toEqual(answers);
      expect(await hook(served, 'post-rollout')).toBe(true);
      expect(await hook(served, 'event', { metadata: { eventMessage: 'Canary failed!', eventType: 'Warning', timestamp: '1' } })).toBe(
        true,
      );
      expect(open, 'one gate for each version').toHaveLength(1);
      expect(await hook(served, 'pre-rollout', { checksum: '77aa' })).toBe(true);
      await expect.poll(() => open.length, 'the next version has another gate').toBe(2);
    });
  });
}

test('the queue and requests are bounded', async () => {
  await serving(async ({ ask, jobs }) => {
    for (let index = 0; index <= MAX_WAITING; index += 1) expect((await ask('POST', '/v1/gates', { key: `k${index}` })).status).toBe(202);
    expect(await ask('POST', '/v1/gates', { key: 'one more' })).toMatchObject({
      status: 503,
      body: { error: '16 gates are waiting already; try again later' },
    });
    expect(jobs.list()).toHaveLength(MAX_WAITING + 1);
    expect(await ask('POST', '/v1/gates', `{"candidate":"${'x'.repeat(70_000)}"}`)).toMatchObject({ status: 413 });
  });
});

test('the error says what is wrong with a request', async () => {
  await serving(async (served) => {
    const { ask } = served;
    for (const [method, path, body, status, message] of [
      ['POST', '/v1/gates', { candidate: '../../etc' }, 422, 'there is no target ../../etc'],
      ['POST', '/v1/gates', { candidat: 'next' }, 400, 'candidat'],
      ['POST', '/v1/gates', 'candidate=next', 400, 'not JSON'],
      ['GET', '/v1/verdict?candidat=next', undefined, 400, 'candidat'],
      ['GET', '/v1/gates/gate-9', undefined, 404, 'there is no gate gate-9'],
      ['DELETE', '/v1/gates', undefined, 404, 'POST /v1/gates'],
      ['POST', '/flagger/rollouts', FLAGGER, 404, 'POST /flagger/'],
      ['POST', '/flagger/rollout', { name: 'x' }, 400, 'namespace'],
      ['POST', '/flagger/rollout', { ...FLAGGER, metadata: { candidate: 'unknown' } }, 422, 'there is no target unknown'],
    ] as const) {
      const answer = await ask(method, path, body);
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(JSON.stringify(answer.body)).toContain(message);
    }
    expect(served.jobs.list()).toEqual([]);
  });
});

test('with a token, unauthorized clients can use only the probes', async () => {
  await serving(
    async ({ ask }) => {
      for (const authorization of [undefined, 'Bearer wrong', 'Basic secret', 'Bearer secret2'])
        for (const path of ['/v1/gates', '/metrics'])
          expect((await ask('GET', path, undefined, authorization === undefined ? {} : { authorization })).status).toBe(401);
      for (const path of ['/healthz', '/readyz']) expect((await ask('GET', path)).status).toBe(200);
      expect((await ask('GET', '/v1/gates', undefined, { authorization: 'Bearer secret' })).status).toBe(200);
      // Flagger sends no authorization header.
      expect((await ask('POST', '/flagger/rollout', FLAGGER)).status).toBe(401);
      expect((await ask('POST', '/flagger/rollout', { ...FLAGGER, metadata: { token: 'wrong' } })).status).toBe(401);
      expect((await ask('POST', '/flagger/rollout', { ...FLAGGER, metadata: { token: 'secret' } })).status).toBe(200);
      expect((await ask('POST', '/flagger/event', FLAGGER)).status).toBe(200);
    },
    { token: 'secret' },
  );
});

test('a stop aborts the running gate and reports it; a silent client does not block the stop', async () => {
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
    expect(jobs.get('gate-2')?.status, 'no other gate is started').toBe('waiting');
    await server.close();
    await expect(ask('GET', '/healthz')).rejects.toThrow();
  });
});

test('a key identifies a version; a gate that could not be run is run again', async () => {
  await serving(async ({ ask, open }) => {
    const begin = (key: string): ReturnType<typeof ask> => ask('POST', '/v1/gates', { candidate: 'next', key });
    await begin('v1');
    open[0]?.end('pass');
    await expect.poll(async () => (await ask('GET', '/v1/verdict?key=v1')).body).toMatchObject({ result: { verdict: 'pass' } });
    // The next version has the same name: it must not get the pass of the older one.
    expect((await ask('GET', '/v1/verdict?key=v2')).status).toBe(503);
    await begin('v2');
    expect((await ask('GET', '/v1/verdict?key=v2')).body).toMatchObject({ result: { verdict: 'inconclusive' } });
    open[1]?.break('disk full');
    await expect.poll(async () => JSON.stringify((await ask('GET', '/v1/verdict?key=v2')).body)).toContain('disk full');
    expect((await begin('v2')).status).toBe(202);
    open[2]?.end('fail');
    await expect.poll(async () => (await ask('GET', '/v1/verdict?key=v2')).body).toMatchObject({ result: { verdict: 'fail' } });
    expect((await ask('GET', '/v1/verdict?key=v1')).body).toMatchObject({ result: { verdict: 'pass' } });
  });
});

test('a web page in a browser can neither read nor start gates', async () => {
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

test('Flagger: a candidate does not get the verdict of another one', async () => {
  await serving(async (served) => {
    const { ask, open, jobs } = served;
    const asking = (name: string, metadata: object): ReturnType<typeof ask> => ask('POST', `/flagger/${name}`, { ...FLAGGER, metadata });
    expect((await asking('pre-rollout', { candidate: 'next' })).status).toBe(200);
    open[0]?.end('pass');
    await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
    const refused = {
      status: 422,
      body: { error: 'this key belongs to gate-1, which judges next against reference; use another key' },
    };
    for (const name of ['pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback'])
      for (const metadata of [{ candidate: 'other' }, { candidate: 'next', baseline: 'other' }, { candidateVersion: '2' }])
        expect(await asking(name, metadata), name).toEqual(refused);
    for (const name of ['post-rollout', 'event']) expect((await asking(name, { candidate: 'other' })).status).toBe(200);
    for (const metadata of [{ candidate: 'next' }, { baseline: 'reference' }, {}])
      expect((await asking('confirm-promotion', metadata)).status).toBe(200);
    expect((await ask('GET', '/v1/verdict?candidate=next&baseline=other')).status, 'nor that for another baseline').toBe(503);
  });
});

test('a verdict is only for the version that the server was started with', async ({}, testInfo) => {
  const candidate = join(folderWith(testInfo, { 'candidate.yaml': '' }), 'candidate.yaml');
  const started = { baseline: 'reference', targets: [candidate], baselineVersion: undefined, candidateVersion: 'v1' };
  await serving(
    async ({ ask, open, jobs }) => {
      const other = `the request is about version v2 of ${candidate}, and the server judges version v1 of it: start the server with the version that is rolled out`;
      expect(await ask('POST', '/v1/gates', { candidateVersion: 'v2' })).toEqual({ status: 422, body: { error: other } });
      expect(await ask('GET', '/v1/verdict?candidateVersion=v2')).toEqual({ status: 422, body: { error: other } });
      expect(await ask('POST', '/flagger/pre-rollout', { ...FLAGGER, metadata: { candidateVersion: 'v2' } })).toMatchObject({
        status: 422,
      });
      expect(await ask('POST', '/v1/gates', { baselineVersion: 'v0' })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('version v0 of reference, and the server does not know its version') },
      });
      const asked = { baseline: 'reference', candidate, candidateVersion: 'v1' };
      expect(await ask('POST', '/v1/gates', { candidateVersion: 'v1', key: 'a' })).toEqual({
        status: 202,
        body: { id: 'gate-1', ...asked, status: 'running' },
      });
      expect(open[0], 'the gate knows the version of the trials').toMatchObject(asked);
      open[0]?.end('pass');
      await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
      expect(await ask('GET', '/v1/verdict?key=a&candidateVersion=v1')).toMatchObject({ status: 200, body: { candidateVersion: 'v1' } });
      expect(await ask('GET', '/v1/verdict?key=a&candidateVersion=v2')).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining(`judges ${candidate} (version v1) against reference`) },
      });
    },
    { choose: chooserOf(started) },
  );
  expect(() => chooserOf({ ...started, targets: [] })).toThrow('--candidate-version needs exactly one --target');
});

/** The directory of a server that was killed: its last line is truncated. */
function killed(state: string, folder: string): string {
  // Without the lock: closing a file that this process has locked, even after copying it, releases the lock (fcntl).
  cpSync(state, folder, { recursive: true, filter: (path) => !path.endsWith('lock.db') });
  writeFileSync(keptFile(folder), '{"id":"gate-9","base', { flag: 'a' });
  return folder;
}

const keptFile = (state: string): string => join(state, `gates-${ownVersion()}.jsonl`);

test('verdicts survive their server; an interrupted gate is inconclusive, and can be run again', async ({}, testInfo) => {
  const [state, left] = [testInfo.outputPath('state'), testInfo.outputPath('left')];
  const answers: unknown[] = [];
  await serving(
    async (served) => {
      const { ask, open, jobs } = served;
      await ask('POST', '/v1/gates', { key: 'release-7' });
      expect(await hook(served, 'pre-rollout', { metadata: { candidate: 'other' } })).toBe(true);
      await ask('POST', '/v1/gates', { key: 'release-8' });
      open[0]?.end('fail');
      await expect.poll(() => open.length).toBe(2);
      open[1]?.end('pass');
      await expect.poll(() => jobs.get('gate-2')?.status).toBe('done');
      answers.push(await ask('GET', '/v1/verdict?key=release-7'), await ask('GET', '/v1/verdict?candidate=other'));
      killed(state, left);
    },
    { state },
  );
  await serving(
    async (served) => {
      const { ask, open } = served;
      expect([await ask('GET', '/v1/verdict?key=release-7'), await ask('GET', '/v1/verdict?candidate=other')]).toEqual(answers);
      expect(await hook(served, 'confirm-promotion', { metadata: { candidate: 'other' } })).toBe(true);
      expect((await ask('GET', '/metrics')).body).toContain('scaleproof_gate_verdict{profile="core",target="other"} 0');
      const reason = 'gate-3 was interrupted: the server stopped before it finished; request it again';
      expect(await ask('GET', '/v1/verdict?key=release-8')).toMatchObject({
        status: 200,
        body: { id: 'gate-3', status: 'done', result: { verdict: 'inconclusive', reason } },
      });
      expect(open).toEqual([]);
      expect(await ask('POST', '/v1/gates', { key: 'release-8' })).toMatchObject({ status: 202, body: { id: 'gate-4' } });
    },
    { state: left },
  );
});

test('after a restart a name finds only a verdict for the same stated version; a key finds any', async ({}, testInfo) => {
  const candidate = join(folderWith(testInfo, { 'candidate.yaml': '' }), 'candidate.yaml');
  const ofVersion = (candidateVersion: string | undefined): Site['choose'] =>
    chooserOf({ baseline: 'reference', targets: [candidate], baselineVersion: undefined, candidateVersion });
  for (const [before, after, status] of [
    [undefined, undefined, 503],
    ['v1', 'v2', 503],
    ['v1', 'v1', 200],
  ] as const) {
    const state = testInfo.outputPath(`state-${before ?? 'none'}-${after ?? 'none'}`);
    await serving(
      async ({ ask, open, jobs }) => {
        await ask('POST', '/v1/gates', { key: 'a' });
        open[0]?.end('pass');
        await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
        expect((await ask('GET', '/v1/verdict')).status).toBe(200);
      },
      { state, choose: ofVersion(before) },
    );
    await serving(
      async ({ ask }) => {
        expect((await ask('GET', '/v1/verdict')).status, `${before ?? 'none'} then ${after ?? 'none'}`).toBe(status);
        expect(((await ask('GET', '/metrics')).body as string).includes('scaleproof_gate_verdict{')).toBe(status === 200);
        expect(await ask('GET', '/v1/verdict?key=a')).toMatchObject({ status: 200, body: { result: { verdict: 'pass' } } });
      },
      { state, choose: ofVersion(after) },
    );
  }
});

test('the file of stored gates is bounded, and refused if it is damaged', ({}, testInfo) => {
  const state = testInfo.outputPath('state');
  const gate = (number: number): GateJob => ({
    id: `gate-${number}`,
    key: `key ${number}`,
    baseline: 'reference',
    candidate: 'next',
    status: 'done',
    askedMs: number,
    result: { verdict: 'pass', reason: 'It is pass.', decision: decision('pass') },
  });
  const opened = <T>(use: (kept: ReturnType<typeof openKeptGates>) => T): T => {
    const kept = openKeptGates(state, 'settings');
    try {
      return use(kept);
    } finally {
      kept.close();
    }
  };
  opened((kept) => kept.keep(gate(0)));
  const line = readFileSync(keptFile(state), 'utf8');
  const lines = Array.from({ length: MAX_LINES }, (_, index) => line.replaceAll('gate-0', `gate-${index}`));
  writeFileSync(keptFile(state), lines.join(''));
  opened((kept) => [MAX_LINES, MAX_LINES + 1].forEach((number) => kept.keep(gate(number))));
  const left = opened(({ before }) => before.map(({ id }) => id));
  expect(left.length).toBeLessThan(MAX_LINES);
  expect(left.slice(-2)).toEqual([`gate-${MAX_LINES}`, `gate-${MAX_LINES + 1}`]);
  writeFileSync(keptFile(state), `${line}${line.replace('"pass"', '"maybe"')}${line}`);
  for (const when of ['at first', 'again, since the lock was released'])
    expect(() => openKeptGates(state, 'settings'), when).toThrow(/line 2 is not a gate: it is damaged.*remove the file$/);
});

test('verdicts with another policy or other scenarios are forgotten; only one server can use a directory', async ({}, testInfo) => {
  const state = testInfo.outputPath('state');
  await serving(
    async ({ ask, open, jobs }) => {
      await ask('POST', '/v1/gates', { key: 'a' });
      open[0]?.end('pass');
      await expect.poll(() => jobs.get('gate-1')?.status).toBe('done');
      expect(() => openKeptGates(state, 'settings')).toThrow(/is in use by another process: only one server can use a --state directory/);
    },
    { state },
  );
  for (const [settings, status] of [
    ['others', 503],
    ['settings', 200],
  ] as const)
    await serving(async ({ ask }) => expect((await ask('GET', '/v1/verdict?key=a')).status, settings).toBe(status), { state, settings });
});

test('HEAD has the same response as GET, without the body; a header has the same rules as its field', async () => {
  await serving(async ({ ask }) => {
    expect(await ask('HEAD', '/healthz')).toEqual({ status: 200, body: '' });
    expect((await ask('POST', '/v1/gates', {}, { 'idempotency-key': 'x'.repeat(201) })).status).toBe(400);
    expect((await ask('POST', '/v1/gates', { key: 'x'.repeat(201) })).status).toBe(400);
  });
});

test('metrics name the profiles, or say that scenarios were selected', () => {
  expect(profileLabel({ scenarios: [], profiles: [] })).toBe('all');
  expect(profileLabel({ scenarios: [], profiles: ['core', 'robustness'] })).toBe('core,robustness');
  expect(profileLabel({ scenarios: ['a/b'], profiles: ['core'] })).toBe('selected');
  expect(profileLabel({ scenarios: [], profiles: [], manifests: './shop' })).toBe('manifests');
});

test('usage errors are refused before the server listens', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  for (const flags of [
    ['--out', '/proc/nope'],
    ['--state', '/proc/nope'],
  ]) {
    const { code, stderr } = await scaleproof(['serve', '--port', '0', ...flags], cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^scaleproof: --(out|state).*\/proc\/nope.*\n$/) });
  }
  for (const token of ['secret\n', ' secret', 'gehéim']) {
    process.env['SCALEPROOF_TOKEN'] = token;
    const { code, stderr } = await scaleproofHere(['serve', '--port', '0']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^scaleproof: SCALEPROOF_TOKEN has white space/) });
    expect(stderr).not.toContain(token.trim());
  }
});

test('the command: with --state, a verdict is the same after a restart', async ({}, testInfo) => {
  // A file that is not a target, so that its gate ends at once.
  const cwd = folderWith(testInfo, { 'candidate.yaml': 'kind: none\n' });
  const flags = ['--port', '0', '--target', './candidate.yaml', '--candidate-version', 'v1', '--state', 'state', '--out', 'runs'];
  const during = async (body: (url: string) => Promise<void>): Promise<void> => {
    const { child, finished } = startScaleproof(['serve', ...flags], cwd);
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout?.once('data', (text: string) => resolve(text.trim()));
        child.once('close', () => reject(new Error('it ended')));
      });
      await body(url);
    } finally {
      child.kill('SIGTERM');
    }
    expect((await finished).code).toBe(0);
  };
  const verdict = async (url: string): Promise<unknown> => (await fetch(`${url}/v1/verdict?key=a`)).json();
  const before: unknown[] = [];
  await during(async (url) => {
    const body = JSON.stringify({ key: 'a', candidateVersion: 'v1' });
    const begun = await fetch(`${url}/v1/gates`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(begun.status).toBe(202);
    await expect.poll(() => verdict(url)).toMatchObject({ status: 'done', candidateVersion: 'v1', result: { verdict: 'inconclusive' } });
    before.push(await verdict(url));
  });
  await during(async (url) => {
    expect(await verdict(url)).toEqual(before[0]);
  });
});

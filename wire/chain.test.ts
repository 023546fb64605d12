import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { NewEvent } from '../history/events.ts';
import type { Operation, Principal } from '../model/operation.ts';
import type { ClockScope, Timeline } from '../runtime/clock.ts';
import { Mailbox } from '../runtime/mailbox.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { AnswerNote, Backend, Refusal, WholeAnswer } from './backend.ts';
import { openChain } from './chain.ts';
import type { Chain } from './chain.ts';
import type { RewriteInjection, StrikeInjection, WireEffect } from './effects.ts';
import { Gate } from './gate.ts';
import { WireError, asText, isStream, readText, textsOf, withDecoded } from './wire.ts';
import type { Line, WireRequest, WireResponse } from './wire.ts';

/** A backend that creates one thing for each POST and streams what is pushed into `events`. */
class Things implements Backend {
  readonly events = new Mailbox<string>(100);
  created = 0;
  /** The error that requests fail with, if any. */
  failure: Error | undefined;

  describe(request: WireRequest): ReturnType<Backend['describe']> {
    const verb = request.path.includes('watch') ? 'watch' : request.method === 'POST' ? 'create' : 'get';
    return { wire: 'kube', name: `${verb} pods`, mutating: verb === 'create', object: { resource: 'pods' } };
  }

  handle(request: WireRequest): ReturnType<Backend['handle']> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const base = { status: 200, headers: { 'content-type': 'application/json' } };
    if (request.path.includes('watch')) {
      request.signal?.addEventListener('abort', () => this.events.close());
      return Promise.resolve({ ...base, body: this.events, effect: { kind: 'none' } });
    }
    if (request.method !== 'POST') {
      return Promise.resolve({ ...base, body: '{"kind":"Pod","metadata":{"name":"a"}}', effect: { kind: 'none' } });
    }
    this.created += 1;
    return Promise.resolve({ ...base, status: 201, body: '{}', effect: { kind: 'applied', ids: [`pods/${this.created}`] } });
  }

  refuse(_operation: Operation, { status, code, message }: Refusal): WireResponse {
    return { status, headers: {}, body: `${code}: ${message}` };
  }

  describeAnswer(_operation: Operation, answer: WholeAnswer): AnswerNote {
    return answer.status < 400 ? {} : { note: asText(answer.body) };
  }
}

interface Bench {
  readonly timeline: Timeline;
  readonly scope: ClockScope;
  readonly chain: Chain;
  readonly gate: Gate;
  readonly things: Things;
  readonly events: NewEvent[];
  readonly killed: string[];
  readonly fired: number[];
  readonly failures: Error[];
  readonly floods: string[];
  arm(injection: Omit<StrikeInjection, 'fired'> | Omit<RewriteInjection, 'fired'>): () => void;
}

function bench({ principal = 'target', requestsBefore = 0 }: { principal?: Principal; requestsBefore?: number } = {}): Bench {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('world');
  const scope = timeline.scope('target#1');
  const gate = new Gate(clock, createRandom(1));
  const things = new Things();
  const events: NewEvent[] = [];
  const killed: string[] = [];
  const fired: number[] = [];
  const failures: Error[] = [];
  const floods: string[] = [];
  let span = 0;
  let requests = requestsBefore;
  const chain = openChain({
    wire: 'kube',
    backend: things,
    gate,
    recorder: { record: (event) => events.push(event) },
    clock,
    scope,
    principal,
    incarnation: 1,
    latencyMs: () => ({ thereMs: 2, workMs: 0, backMs: 3 }),
    nextSpan: () => (span += 1),
    onKill: (reason) => {
      killed.push(reason);
      scope.kill();
    },
    countRequest: () => (requests += 1),
    onFlood: (message) => floods.push(message),
    onFailure: (error) => failures.push(error),
  });
  return {
    timeline,
    scope,
    chain,
    gate,
    things,
    events,
    killed,
    fired,
    failures,
    floods,
    arm: (injection) => gate.arm({ ...injection, fired: (at) => fired.push(at) }),
  };
}

const GET: WireRequest = { method: 'GET', path: '/api/v1/pods/a', headers: {} };
const POST: WireRequest = { method: 'POST', path: '/api/v1/pods', headers: {}, body: '{}' };
const WATCH: WireRequest = { method: 'GET', path: '/api/v1/pods?watch=true', headers: {} };
const CREATE = { operations: ['create pods'] };

test('a request records start, effect and end under one span, and takes the latency of both ways', async () => {
  const { timeline, chain, events } = bench();
  const response = await timeline.run(chain.wire(POST));
  expect(response.status).toBe(201);
  expect(timeline.nowMs()).toBe(5);
  expect(events).toEqual([
    {
      type: 'request.start',
      span: 1,
      wire: 'kube',
      principal: 'target',
      incarnation: 1,
      operation: 'create pods',
      mutating: true,
      object: 'pods',
    },
    { type: 'request.effect', span: 1, effect: { kind: 'applied', ids: ['pods/1'] } },
    { type: 'request.end', span: 1, outcome: 'ok', status: 201 },
  ]);
});

test('the backend gets what a body says, and the body if it reads it: nothing on the way does', async () => {
  const { timeline, chain, things } = bench();
  const seen: WireRequest[] = [];
  const handle = things.handle.bind(things);
  things.handle = (request) => {
    seen.push(request);
    return handle(request);
  };
  const decoded = { kind: 'Pod' };
  let written = 0;
  const write = (): string => {
    written += 1;
    return JSON.stringify(decoded);
  };
  await timeline.run(chain.wire(withDecoded({ method: 'POST', path: '/api/v1/pods', headers: {} }, decoded, write)));
  const [request] = seen;
  expect(request?.decoded).toBe(decoded);
  expect(written).toBe(0);
  expect([request?.body, request?.body]).toEqual(['{"kind":"Pod"}', '{"kind":"Pod"}']);
  expect(written).toBe(1);
});

test('a lost answer is visible: the effect is applied, the end is info', async () => {
  const { timeline, chain, events, things, fired, arm } = bench();
  arm({ trigger: { match: CREATE, when: { kind: 'first', count: 1 }, moment: 'after' }, effect: { kind: 'break', code: 'ECONNRESET' } });
  await expect(timeline.run(chain.wire(POST))).rejects.toThrow(WireError);
  expect(things.created).toBe(1);
  expect(fired).toEqual([1]);
  expect(events.at(-2)).toMatchObject({ type: 'request.effect', effect: { kind: 'applied' } });
  expect(events.at(-1)).toMatchObject({ type: 'request.end', outcome: 'info', code: 'ECONNRESET' });
  await timeline.run(chain.wire(POST));
  expect(things.created).toBe(2);
});

test('a request broken before it is sent has no effect', async () => {
  const { timeline, chain, events, things, arm } = bench();
  arm({ trigger: { match: CREATE, when: { kind: 'always' }, moment: 'before' }, effect: { kind: 'break', code: 'ETIMEDOUT' } });
  await expect(timeline.run(chain.wire(POST))).rejects.toThrow(WireError);
  expect(things.created).toBe(0);
  expect(events.filter(({ type }) => type === 'request.effect')).toEqual([{ type: 'request.effect', span: 1, effect: { kind: 'none' } }]);
});

for (const { moment, created } of [
  { moment: 'before', created: 0 },
  { moment: 'after', created: 1 },
] as const) {
  test(`a target killed ${moment} its request took effect never gets an answer`, async () => {
    const { timeline, chain, things, killed, scope, arm } = bench();
    arm({ trigger: { match: CREATE, when: { kind: 'first', count: 1 }, moment }, effect: { kind: 'kill' } });
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    void chain.wire(POST).then(mark, mark);
    await timeline.run(timeline.scope('test').sleep(1_000));
    expect({ settled, created: things.created, killed }).toEqual({ settled: false, created, killed: ['at create pods'] });
    expect(scope.killed).toBe(true);
  });
}

test('a refusal instead of the backend, a delay, and counted triggers', async () => {
  const { timeline, chain, things, events, arm } = bench();
  const refusal: Refusal = { status: 429, code: 'TooManyRequests', message: 'busy' };
  arm({ trigger: { match: CREATE, when: { kind: 'every', nth: 2 }, moment: 'before' }, effect: { kind: 'refuse', refusal } });
  const disarm = arm({
    trigger: { match: CREATE, when: { kind: 'nth', nth: 2 }, moment: 'after' },
    effect: { kind: 'delay', delayMs: 100 },
  });
  const statuses: number[] = [];
  for (let request = 0; request < 4; request += 1) statuses.push((await timeline.run(chain.wire(POST))).status);
  expect(statuses).toEqual([201, 429, 201, 429]);
  expect(things.created).toBe(2);
  expect(timeline.nowMs()).toBe(4 * 5 + 100);
  expect(events.at(-1)).toMatchObject({ type: 'request.end', outcome: 'fail', status: 429, note: 'TooManyRequests: busy' });
  disarm();
});

test('the message of a refusal may depend on the operation', async () => {
  const { timeline, chain, events, arm } = bench();
  const refusal = ({ name }: Operation): Refusal => ({ status: 403, code: 'Forbidden', message: `may not ${name}` });
  arm({ trigger: { match: { operations: ['*'] }, when: { kind: 'always' }, moment: 'before' }, effect: { kind: 'refuse', refusal } });
  for (const request of [GET, POST]) await timeline.run(chain.wire(request));
  const notes = events.flatMap((event) => (event.type === 'request.end' ? [event.note] : []));
  expect(notes).toEqual(['Forbidden: may not get pods', 'Forbidden: may not create pods']);
});

test('a delayed answer is delivered when the injection is removed', async () => {
  const { timeline, chain, arm } = bench();
  const trigger = { match: CREATE, when: { kind: 'always' as const }, moment: 'after' as const };
  const disarm = arm({ trigger, effect: { kind: 'delay', delayMs: 60_000 } });
  const answer = chain.wire(POST);
  const test = timeline.scope('test');
  void test.sleep(1_000).then(disarm);
  expect((await timeline.run(answer)).status).toBe(201);
  expect(timeline.nowMs()).toBe(1_003);
});

test('a rewrite reaches gets and the events of watches that were open before it was armed', async () => {
  const { timeline, chain, things, fired, arm } = bench();
  const response = await timeline.run(chain.wire(WATCH));
  if (!isStream(response.body)) throw new Error('the answer to a watch is not a stream');
  const lines = response.body[Symbol.asyncIterator]();
  const event = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;
  things.events.push(event('a'));
  expect((await lines.next()).value).toBe(event('a'));
  const disarm = arm({
    match: { operations: ['get pods', 'watch pods'] },
    rewrite: (object) => ({ ...object, rewritten: true }),
  });
  things.events.push(event('b'));
  expect((await lines.next()).value).toContain('"rewritten":true');
  expect((await timeline.run(chain.wire(GET))).body).toContain('"rewritten":true');
  disarm();
  things.events.push(event('c'));
  expect((await lines.next()).value).toBe(event('c'));
  expect(fired).toHaveLength(2);
});

test('a rewritten answer no longer says what its body said; one that is not rewritten does, and its body is not written', async () => {
  const { timeline, chain, things, arm } = bench();
  const decoded = { kind: 'Pod', metadata: { name: 'a' } };
  let written = 0;
  const write = (): string => {
    written += 1;
    return JSON.stringify(decoded);
  };
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, effect: { kind: 'none' } } as const;
  things.handle = () => Promise.resolve(withDecoded(answer, decoded, write));
  expect((await timeline.run(chain.wire(GET))).decoded).toBe(decoded);
  expect(written).toBe(0);
  arm({ match: { operations: ['get pods'] }, rewrite: (object) => ({ ...object, rewritten: true }) });
  const rewritten = await timeline.run(chain.wire(GET));
  expect(rewritten.decoded).toBe(undefined);
  expect(rewritten.body).toBe(JSON.stringify({ ...decoded, rewritten: true }));
});

test('lines of a watch are passed on unwritten, and a rewritten one is only text', async () => {
  const { timeline, chain, things, events, arm } = bench();
  const lines = new Mailbox<Line>(100);
  let written = 0;
  const push = (name: string): void => {
    const decoded = { type: 'ADDED', object: { metadata: { name, resourceVersion: '7' } } };
    lines.push({
      decoded,
      get text() {
        written += 1;
        return `${JSON.stringify(decoded)}\n`;
      },
    });
  };
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, effect: { kind: 'none' } } as const;
  things.handle = () => Promise.resolve({ ...answer, body: textsOf(lines), lines });
  const passed = (await timeline.run(chain.wire(WATCH))).lines?.[Symbol.asyncIterator]();
  push('a');
  expect((await passed?.next())?.value).toHaveProperty('decoded.object.metadata.name', 'a');
  expect(written).toBe(0);
  arm({ match: { operations: ['watch pods'] }, rewrite: (object) => ({ ...object, rewritten: true }) });
  push('b');
  const rewritten = { type: 'ADDED', object: { metadata: { name: 'b', resourceVersion: '7' }, rewritten: true } };
  expect((await passed?.next())?.value).toEqual({ text: `${JSON.stringify(rewritten)}\n` });
  lines.close();
  expect((await passed?.next())?.done).toBe(true);
  expect(events.find(({ type }) => type === 'watch.mark')).toMatchObject({ events: 2, revision: '7' });
});

test('an error of the world itself is reported to the harness, never to the caller', async () => {
  const { timeline, chain, things, events, failures } = bench();
  things.failure = new Error('a bug');
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  void chain.wire(POST).then(mark, mark);
  await timeline.run(timeline.scope('test').sleep(1_000));
  expect(settled).toBe(false);
  expect(failures).toEqual([things.failure]);
  expect(events.slice(1)).toMatchObject([
    { type: 'request.effect', effect: { kind: 'unobservable' } },
    { type: 'request.end', outcome: 'info' },
  ]);
});

for (const effect of [
  { kind: 'break', code: 'ECONNRESET' },
  { kind: 'kill' },
  { kind: 'refuse', refusal: { status: 503, code: 'Unavailable', message: 'later' } },
] as const) {
  test(`a watch is closed in the backend when its answer is lost to ${effect.kind}`, async () => {
    const { timeline, chain, things, arm } = bench();
    arm({ trigger: { match: { operations: ['watch pods'] }, when: { kind: 'always' }, moment: 'after' }, effect });
    chain.wire(WATCH).catch(() => undefined);
    await timeline.run(timeline.scope('test').sleep(1_000));
    expect(things.events.closed).toBe(true);
  });
}

for (const { principal, requestsBefore, floods } of [
  { principal: 'target', requestsBefore: 99_999, floods: [] },
  { principal: 'target', requestsBefore: 100_000, floods: ['the target has sent more than 100000 requests in this trial'] },
  { principal: 'scenario', requestsBefore: 100_000, floods: [] },
] as const) {
  test(`request ${requestsBefore + 1} of the trial, sent by the ${principal}: ${floods.length === 0 ? 'fine' : 'a flood'}`, async () => {
    const { timeline, chain, floods: reported } = bench({ principal, requestsBefore });
    await timeline.run(chain.wire(GET));
    expect(reported).toEqual(floods);
  });
}

test('a watch is marked with the last revision that was delivered', async () => {
  const { timeline, chain, things, events } = bench();
  const response = await timeline.run(chain.wire(WATCH));
  const event = (resourceVersion: string): string => `${JSON.stringify({ type: 'ADDED', object: { metadata: { resourceVersion } } })}\n`;
  things.events.push(event('7') + event('9'));
  things.events.close();
  await readText(response.body);
  expect(events.filter(({ type }) => type === 'watch.mark')).toMatchObject([{ events: 2, revision: '9' }]);
});

const anyEffect: fc.Arbitrary<WireEffect> = fc.oneof(
  fc.constant({ kind: 'refuse' as const, refusal: { status: 503, code: 'Unavailable', message: 'later' } }),
  fc.constant({ kind: 'break' as const, code: 'ECONNRESET' as const }),
  fc.record({ kind: fc.constant('delay' as const), delayMs: fc.nat(20) }),
  fc.constant({ kind: 'kill' as const }),
);
const anyStrike = fc.record({
  effect: anyEffect,
  trigger: fc.record({
    match: fc.constantFrom({ operations: ['*'] }, CREATE, { operations: ['get pods'] }, { operations: ['*'], applied: true }),
    when: fc.oneof(
      fc.record({ kind: fc.constant('nth' as const), nth: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('probability' as const), probability: fc.constantFrom(0.1, 0.5) }),
    ),
    moment: fc.constantFrom('before' as const, 'after' as const),
  }),
});

test('with any faults armed: each request has one start, effect and end, the effects are true, and dead callers get no answers', async () => {
  const requests = fc.array(fc.record({ post: fc.boolean(), atMs: fc.nat(30) }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStrike, { maxLength: 6 }), requests, async (strikes, sends) => {
      const { timeline, chain, things, events, scope, killed, failures, arm } = bench();
      for (const strike of strikes) arm(strike);
      const clock = timeline.scope('test');
      let settledAfterDeath = 0;
      const settle = (): void => {
        if (scope.killed) settledAfterDeath += 1;
      };
      const send = async ({ post, atMs }: { post: boolean; atMs: number }): Promise<void> => {
        await clock.sleep(atMs);
        chain.wire(post ? POST : GET).then(settle, settle);
      };
      await timeline.run(Promise.all(sends.map(send)));
      await timeline.run(clock.sleep(10_000));

      const spans = Map.groupBy(events, (event) => ('span' in event ? event.span : undefined));
      for (const [span, ofSpan] of spans) {
        const types = ofSpan.map(({ type }) => type);
        expect(types, `span ${span}`).toEqual(['request.start', 'request.effect', 'request.end']);
      }
      const applied = events.flatMap((event) =>
        event.type === 'request.effect' && event.effect.kind === 'applied' ? event.effect.ids : [],
      );
      expect(applied.sort()).toEqual(Array.from({ length: things.created }, (_, index) => `pods/${index + 1}`).sort());
      const started = events.filter((event) => event.type === 'request.start').length;
      expect(killed.length > 0 ? started <= sends.length : started === sends.length).toBe(true);
      expect({ settledAfterDeath, failures }).toEqual({ settledAfterDeath: 0, failures: [] });
    }),
  );
});

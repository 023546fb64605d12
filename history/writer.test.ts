import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from '../model/defined.ts';
import type { NewEvent } from './events.ts';
import { parseHistory } from './reader.ts';
import { soundHistory } from './testing/history-builder.ts';
import { MAX_EVENT_BYTES, createRecorder } from './writer.ts';

function recording(options: { maxEvents?: number } = {}): {
  record: (event: NewEvent) => number;
  flush: () => void;
  text: () => string;
  clock: { nowMs: number };
} {
  let text = '';
  const clock = { nowMs: 5_000 };
  const recorder = createRecorder({ nowMs: () => clock.nowMs, startMs: 5_000, write: (lines) => (text += lines), ...options });
  return { record: (event) => recorder.record(event), flush: () => recorder.flush(), text: () => text, clock };
}

function inputOf(input: unknown, object?: string): unknown {
  const { record, flush, text } = recording();
  const { wire, principal, incarnation, operation, mutating } = REQUEST;
  record({
    type: 'request.start',
    span: 1,
    wire,
    principal,
    incarnation,
    operation,
    mutating,
    ...defined({ object }),
    input: input as null,
  });
  flush();
  return (JSON.parse(text()) as { input: unknown }).input;
}

const REQUEST = { wire: 'kube', principal: 'target', incarnation: 1, operation: 'create pods', mutating: true } as const;

test('events are stamped, buffered, and written as lines with the fields in the given order', () => {
  const { record, flush, text, clock } = recording();
  expect(record({ type: 'phase', phase: 'set-up' })).toBe(0);
  clock.nowMs += 250;
  expect(record({ type: 'target.start', incarnation: 1 })).toBe(1);
  expect(text()).toBe('');
  flush();
  flush();
  expect(text()).toBe('{"i":0,"t":0,"type":"phase","phase":"set-up"}\n{"i":1,"t":250,"type":"target.start","incarnation":1}\n');
});

test('what was written can be read back', () => {
  const { record, flush, text } = recording();
  const { events } = soundHistory();
  for (const event of events) {
    const { i, t, ...rest } = event;
    expect(record(rest)).toBe(i);
    expect(t).toBeGreaterThanOrEqual(0);
  }
  flush();
  expect(parseHistory(text(), 'history').events).toEqual(events.map((event) => ({ ...event, t: 0 })));
});

test('any body and message survive a round trip, unless they are secret or too long', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), (input, note) => {
      // What looks like a secret is covered by another test.
      fc.pre(!/secret|key|token|passw|credential|auth|signature|bearer|userdata|__proto__/i.test(JSON.stringify([input, note])));
      const { record, flush, text } = recording();
      record({ type: 'request.start', span: 1, ...REQUEST, input: JSON.parse(JSON.stringify(input)) as null });
      record({ type: 'request.end', span: 1, outcome: 'ok', note });
      flush();
      const [start, end] = parseHistory(text(), 'history').events;
      expect(start).toMatchObject({ input: JSON.parse(JSON.stringify(input)) as unknown });
      expect(end).toMatchObject({ note });
    }),
  );
});

for (const { what, input, kept, object } of [
  {
    what: 'keys that look secret',
    input: { password: 'p', nested: { SecretAccessKey: 's' } },
    kept: { password: '[redacted]', nested: { SecretAccessKey: '[redacted]' } },
  },
  { what: 'session tokens of AWS', input: { 'X-Amz-Security-Token': 'IQoJ' }, kept: { 'X-Amz-Security-Token': '[redacted]' } },
  {
    what: 'secret values of environment variables',
    input: { env: [{ name: 'DB_PASSWORD', value: 'p' }] },
    kept: { env: [{ name: 'DB_PASSWORD', value: '[redacted]' }] },
  },
  { what: 'bearer tokens', input: { args: ['Bearer abcdefgh.12345678'] }, kept: { args: ['[redacted]'] } },
  {
    what: 'variables as programs print them',
    input: { args: ['AWS_SECRET_ACCESS_KEY=abc/def AWS_REGION=us-east-1'] },
    kept: { args: ['[redacted] AWS_REGION=us-east-1'] },
  },
  { what: 'JSON Web Tokens', input: ['x eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ y'], kept: ['x [redacted] y'] },
  { what: 'access key ids', input: ['AKIAIOSFODNN7EXAMPLE'], kept: ['[redacted]'] },
  {
    what: 'data of Secrets',
    input: { kind: 'Secret', data: { a: 'YQ==' }, metadata: { name: 's' } },
    kept: { kind: 'Secret', data: { a: '[redacted]' }, metadata: { name: 's' } },
  },
  { what: 'patches of Secrets', object: 'secrets/default/s', input: { data: { a: 'YQ==' } }, kept: { data: '[redacted]' } },
  { what: 'the client token, which is not a secret: kept', input: { ClientToken: 'claim-1' }, kept: { ClientToken: 'claim-1' } },
  { what: 'user data without secrets: kept', input: { UserData: 'aGVsbG8=' }, kept: { UserData: 'aGVsbG8=' } },
]) {
  test(`redacted: ${what}`, () => {
    expect(inputOf(input, object)).toEqual(kept);
  });
}

test('user data that contains a bootstrap token is replaced by its size and digest', () => {
  const userData = Buffer.from('kubelet --token abcdef.0123456789abcdef').toString('base64');
  const { UserData } = inputOf({ UserData: userData }) as { UserData: string };
  expect(UserData).toMatch(/^\[redacted: user data that contains a secret, \d+ bytes, sha256 [0-9a-f]{64}\]$/);
});

// Quadratic work would not finish within a test's time.
const HOSTILE_LENGTH = 200_000;

for (const { what, piece, end = '', isSecret = false } of [
  { what: 'starts of JSON Web Tokens', piece: 'eyJaaaaa-' },
  { what: 'starts of JSON Web Tokens, and the rest of one', piece: 'eyJaaaaa-', end: '.eyJzdWIiOiIx.SflKxwRJ', isSecret: true },
  { what: 'JSON Web Tokens with parts that are too short', piece: 'eyJaaaaaaaa.b.' },
  { what: 'bearers without a token', piece: 'Bearer  ' },
  { what: 'names of secrets without values', piece: 'SECRET_' },
  { what: 'starts of private keys', piece: '-----BEGIN PRIVATE ' },
  { what: 'private keys without an end', piece: '-----BEGIN PRIVATE KEY-----', isSecret: true },
]) {
  test(`a long hostile text: ${what}`, () => {
    const hostile = piece.repeat(Math.ceil(HOSTILE_LENGTH / piece.length)) + end;
    const { record, flush, text } = recording();
    record({ type: 'said', by: 'log', level: 'info', reason: 'log', message: hostile });
    flush();
    const [said] = parseHistory(text(), 'history').events;
    const message = isSecret ? '[redacted]' : `${hostile.slice(0, 4_096)} [cut: ${hostile.length} characters]`;
    expect(said).toMatchObject({ message });
  });
}

test('a body that is too long is replaced by its size and digest, and the rest of the event stays', () => {
  const { omitted } = inputOf({ blob: 'x'.repeat(MAX_EVENT_BYTES) }) as { omitted: string };
  expect(omitted).toMatch(/^too long: 65547 bytes, sha256 [0-9a-f]{64}$/);
  const { record, flush, text } = recording();
  record({ type: 'said', by: 'log', level: 'info', reason: 'log', message: 'y'.repeat(MAX_EVENT_BYTES) });
  flush();
  expect(text().length).toBeLessThan(MAX_EVENT_BYTES);
  const [said] = parseHistory(text(), 'history').events;
  expect(said?.type === 'said' && said.message).toMatch(/^y+ \[cut: 65536 characters\]$/);
});

test('a full history says so once, and still records how the trial ended', () => {
  const { record, flush, text } = recording({ maxEvents: 2 });
  for (let incarnation = 1; incarnation <= 5; incarnation += 1) record({ type: 'target.start', incarnation });
  record({ type: 'trial.end' });
  flush();
  const { events } = parseHistory(text(), 'history');
  expect(events.map(({ type }) => type)).toEqual(['target.start', 'target.start', 'harness.error', 'trial.end']);
});

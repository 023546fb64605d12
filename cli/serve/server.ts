import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { FLAGGER_HOOKS, answerFlagger, flaggerPayloadSchema, isNotification, startsGate } from './flagger.ts';
import type { FlaggerAnswer, FlaggerHook } from './flagger.ts';
import { isLoopback } from './loopback.ts';
import { BusyError, KeyError, QUESTION_PARTS, agrees, couldNotRun } from './jobs.ts';
import type { GateJob, GateJobs, GateQuestion, NamedParts } from './jobs.ts';

/** Most bytes of a request. Flagger sends a few hundred. */
const MAX_BODY_BYTES = 64 * 1_024;
/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node checks that timeout: with its default, clients would get half a minute more. */
const TIMEOUT_CHECK_PERIOD_MS = 1_000;
const MAX_CONNECTIONS = 256;
/** Most characters in the name of a target or version. Image references with a digest are shorter. */
const MAX_NAME_LENGTH = 1_000;
/** When a client should try again, in seconds. */
const RETRY_AFTER_S = 30;

/** Dependencies of a server. */
export interface Site {
  readonly jobs: GateJobs;
  /** Completes the names of a request with defaults, and checks that the command line allows them. */
  readonly choose: (named: NamedParts) => GateQuestion | Refusal;
  readonly metrics: () => string;
  /** Required for everything but `/healthz` and `/readyz`; undefined if only this machine can connect. */
  readonly token: string | undefined;
  readonly isReady: () => boolean;
}

/** Why a request can't be answered. */
export interface Refusal {
  readonly refused: string;
}

/** A running server. */
export interface GateServer {
  readonly url: string;
  /** Accepts no more requests and closes open ones. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const nameSchema = z.string().min(1).max(MAX_NAME_LENGTH).optional();
/** Names in a body or in a query. */
const namedSchema = z.strictObject({
  baseline: nameSchema,
  candidate: nameSchema,
  baselineVersion: nameSchema,
  candidateVersion: nameSchema,
});
/** An idempotency key: a repeated request finds the gate that it started. */
const keySchema = z.string().min(1).max(200).optional();
const questionSchema = namedSchema.extend({ key: keySchema });

/** Listens. @throws when the port is not available */
export async function serveGates(site: Site, { host, port }: { readonly host: string; readonly port: number }): Promise<GateServer> {
  const timeouts = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_PERIOD_MS,
  };
  const server = createServer(timeouts, (request, response) => {
    void respond(site, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  const { address, family, port: bound } = server.address() as AddressInfo;
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

async function respond(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let answer: Answer;
  try {
    answer = await answerTo(site, request);
  } catch (error) {
    answer = {
      status: 500,
      body: { error: `internal error, a bug in Scaleproof: ${error instanceof Error ? error.message : String(error)}` },
    };
  }
  const isText = typeof answer.body === 'string';
  const type = isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json';
  // A connection can't be reused if its request was not read to the end.
  const connection = request.complete ? {} : { connection: 'close' };
  response
    .writeHead(answer.status, { 'content-type': type, 'cache-control': 'no-store', ...connection, ...answer.headers })
    .end(isText ? answer.body : `${JSON.stringify(answer.body)}\n`);
}

async function answerTo(site: Site, request: IncomingMessage): Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (url === null) return { status: 400, body: { error: 'the request has no valid path' } };
  // Node leaves out the body of a response to HEAD.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const at = `${method} ${url.pathname}`;
  if (!isOurName(site, request)) return MISDIRECTED;
  if (at === 'GET /healthz') return { status: 200, body: 'ok\n' };
  if (at === 'GET /readyz') return site.isReady() ? { status: 200, body: 'ok\n' } : { status: 503, body: 'stopping\n' };
  const [, hook] = /^POST \/flagger\/([a-z-]+)$/.exec(at) ?? [];
  if (isHook(hook)) return hookOf(site, hook, request);
  if (!isAuthorized(site, request)) return UNAUTHORIZED;
  if (at === 'GET /metrics') return { status: 200, body: site.metrics() };
  if (at === 'GET /v1/verdict') return verdictOf(site, url);
  if (at === 'GET /v1/gates') return { status: 200, body: site.jobs.list().map(describeJob) };
  if (at === 'POST /v1/gates') return startGate(site, request);
  const [, gate] = /^GET \/v1\/gates\/([\w-]+)$/.exec(at) ?? [];
  if (gate !== undefined) return describeGate(site, gate);
  return { status: 404, body: { error: `there is no ${at}`, endpoints: ENDPOINTS } };
}

/**
 * Without a token, every client that reaches the port is trusted. DNS rebinding lets a page in a local browser reach it, too, but then
 * the Host header has the page's name.
 */
function isOurName({ token }: Site, { headers: { host = '' } }: IncomingMessage): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return token !== undefined || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

const MISDIRECTED: Answer = {
  status: 421,
  body: { error: 'without a token, the server answers only requests to localhost or 127.0.0.1' },
};

const ENDPOINTS = [
  'POST /v1/gates',
  'GET /v1/gates',
  'GET /v1/gates/ID',
  'GET /v1/verdict?candidate=NAME',
  'GET /v1/verdict?key=KEY',
  `POST /flagger/${FLAGGER_HOOKS.join('|')}`,
  'GET /metrics',
  'GET /healthz',
  'GET /readyz',
];

function isHook(text: string | undefined): text is FlaggerHook {
  return FLAGGER_HOOKS.some((hook) => hook === text);
}

const UNAUTHORIZED: Answer = {
  status: 401,
  body: { error: 'send the token as "Authorization: Bearer TOKEN"; a webhook of Flagger has it as metadata.token' },
  headers: { 'www-authenticate': 'Bearer' },
};

/** @param sent the token, if it is not in a header */
function isAuthorized({ token }: Site, request: IncomingMessage, sent?: string): boolean {
  if (token === undefined) return true;
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  // Comparing digests, which all have the same length, does not reveal the length of the token.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent ?? bearer ?? ''), digest(token));
}

async function startGate(site: Site, request: IncomingMessage): Promise<Answer> {
  const read = await readBody(request, questionSchema);
  if ('status' in read) return read;
  const { key: ofBody, ...named } = read.value;
  const header = parsed(keySchema, request.headers['idempotency-key'], 'the header Idempotency-Key');
  if ('status' in header) return header;
  const question = site.choose(named);
  if ('refused' in question) return { status: 422, body: { error: question.refused } };
  const key = ofBody ?? header.value;
  return started(site, question, key === undefined ? undefined : userKey(key));
}

/** The internal key for a user's key: it can't collide with keys of Flagger. */
function userKey(key: string): string {
  return `key ${key}`;
}

function started(site: Site, question: GateQuestion, key: string | undefined): Answer {
  try {
    const job = site.jobs.start(question, key);
    return { status: job.status === 'done' ? 200 : 202, body: describeJob(job), headers: { location: `/v1/gates/${job.id}` } };
  } catch (error) {
    if (error instanceof KeyError) return { status: 422, body: { error: error.message } };
    if (!(error instanceof BusyError)) throw error;
    return { status: 503, body: { error: error.message }, headers: { 'retry-after': String(RETRY_AFTER_S) } };
  }
}

function describeGate(site: Site, id: string): Answer {
  const job = site.jobs.get(id);
  return job === undefined
    ? { status: 404, body: { error: `there is no gate ${id}: it was too old, or never existed on this server` } }
    : { status: 200, body: describeJob(job) };
}

/** The error for a request that names something else than the gate that it found. */
function refusalOf(job: GateJob | undefined, named: NamedParts): Answer | undefined {
  return job === undefined || agrees(job, named) ? undefined : { status: 422, body: { error: new KeyError(job).message } };
}

/**
 * For Argo Rollouts: the verdict of the gate with the key, or of the newest one for the candidate. It is inconclusive while the gate
 * runs. Names of candidates stay the same across versions: only a key, or a version, identifies one.
 */
function verdictOf(site: Site, url: URL): Answer {
  const query = parsed(questionSchema, Object.fromEntries(url.searchParams), 'the query');
  if ('status' in query) return query;
  const { key, ...named } = query.value;
  if (key !== undefined) {
    const job = site.jobs.byKey(userKey(key));
    return refusalOf(job, named) ?? verdictAnswer(job, `with the key ${key}`);
  }
  const question = site.choose(named);
  if ('refused' in question) return { status: 422, body: { error: question.refused } };
  return verdictAnswer(site.jobs.newest(question), `for ${question.candidate} against ${question.baseline}`);
}

function verdictAnswer(job: GateJob | undefined, what: string): Answer {
  if (job?.status === 'done') return { status: 200, body: describeJob(job) };
  if (job !== undefined) {
    return { status: 200, body: describeJob({ ...job, result: { verdict: 'inconclusive', reason: `${job.id} is ${job.status}` } }) };
  }
  return {
    status: 503,
    body: { error: `there is no gate ${what} yet; POST /v1/gates starts one` },
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  };
}

async function hookOf(site: Site, hook: FlaggerHook, request: IncomingMessage): Promise<Answer> {
  const read = await readBody(request, flaggerPayloadSchema);
  if ('status' in read) return read;
  const { name, namespace, checksum, metadata } = read.value;
  // An event is only acknowledged: it reveals nothing and starts nothing.
  if (hook !== 'event' && !isAuthorized(site, request, metadata?.['token'])) return UNAUTHORIZED;
  if (isNotification(hook)) return hookAnswer(answerFlagger(hook, undefined), undefined);
  const named: NamedParts = Object.fromEntries(QUESTION_PARTS.map((part) => [part, metadata?.[part]]));
  // All hooks for one version of a canary share one gate.
  const key = `flagger ${namespace}/${name} ${checksum}`;
  const known = site.jobs.byKey(key);
  const isAnswered = known !== undefined && !couldNotRun(known);
  if (isAnswered || !startsGate(hook)) return refusalOf(known, named) ?? hookAnswer(answerFlagger(hook, known), known);
  const question = site.choose(named);
  if ('refused' in question) return { status: 422, body: { error: question.refused } };
  const answer = started(site, question, key);
  if (answer.status > 202) return answer;
  const job = site.jobs.byKey(key);
  return hookAnswer(answerFlagger(hook, job), job);
}

function hookAnswer({ status, message }: FlaggerAnswer, job: GateJob | undefined): Answer {
  return { status, body: { message, ...defined({ gate: job?.id }) } };
}

/** The JSON of a gate. */
function describeJob({ id, status, result, ...job }: GateJob): unknown {
  const question = Object.fromEntries(QUESTION_PARTS.flatMap((part) => (job[part] === undefined ? [] : [[part, job[part]]])));
  return { id, ...question, status, ...defined({ result }) };
}

async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<{ readonly value: T } | Answer> {
  // A web page can send any other content type without a CORS preflight.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, body: { error: 'the request must be JSON with the header content-type: application/json' } };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return { status: 413, body: { error: `a request may have at most ${MAX_BODY_BYTES} bytes` } };
    chunks.push(chunk);
  }
  let raw: unknown;
  try {
    raw = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  } catch {
    return { status: 400, body: { error: 'the request is not JSON' } };
  }
  return parsed(schema, raw, 'the request');
}

/** @param what the name of the value in errors */
function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): { readonly value: T } | Answer {
  const { success, data, error } = schema.safeParse(value);
  if (success) return { value: data };
  const issue = error.issues[0];
  return {
    status: 400,
    body: { error: `${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`.replace(':  ', ': ') },
  };
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { FLAGGER_HOOKS, answerFlagger, flaggerPayloadSchema, isNews, startsGate } from './flagger.ts';
import type { FlaggerAnswer, FlaggerHook } from './flagger.ts';
import { isLoopback } from './loopback.ts';
import { BusyError, KeyError, QUESTION_PARTS, agrees, couldNotRun } from './jobs.ts';
import type { GateJob, GateJobs, GateQuestion, NamedParts } from './jobs.ts';

/** Most bytes of a request. Flagger's are some hundred. */
const MAX_BODY_BYTES = 64 * 1_024;
/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node looks whether that time is over: by its own default clients would have half a minute more. */
const TIMEOUT_CHECK_PERIOD_MS = 1_000;
const MAX_CONNECTIONS = 256;
/** Letters of a target's or a version's name. Image references with a digest are shorter. */
const MAX_NAME_LENGTH = 1_000;
/** After so long it is worth asking again, in seconds. */
const RETRY_AFTER_S = 30;

/** What a server needs to know. */
export interface Site {
  readonly jobs: GateJobs;
  /** What is meant, of what the command line allowed; the default where nothing is said. */
  readonly choose: (named: NamedParts) => GateQuestion | Refusal;
  readonly metrics: () => string;
  /** Whoever asks for more than `/healthz` and `/readyz` has to know it; undefined where only this machine can ask. */
  readonly token: string | undefined;
  readonly isReady: () => boolean;
}

/** Why a request can't be answered. */
export interface Refusal {
  readonly refused: string;
}

/** A server that answers. */
export interface GateServer {
  readonly url: string;
  /** Takes no more requests and ends those that are open. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const nameSchema = z.string().min(1).max(MAX_NAME_LENGTH).optional();
/** What requests may name, in a body or in a query. */
const namedSchema = z.strictObject({
  baseline: nameSchema,
  candidate: nameSchema,
  baselineVersion: nameSchema,
  candidateVersion: nameSchema,
});
/** The same at each repetition: it then finds the gate that it started. */
const keySchema = z.string().min(1).max(200).optional();
const questionSchema = namedSchema.extend({ key: keySchema });

/** Listens. @throws when the port can't be had */
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
    answer = { status: 500, body: { error: `an error of Scaleproof itself: ${error instanceof Error ? error.message : String(error)}` } };
  }
  const isText = typeof answer.body === 'string';
  const type = isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json';
  // A request that was not read to its end leaves its connection useless.
  const connection = request.complete ? {} : { connection: 'close' };
  response
    .writeHead(answer.status, { 'content-type': type, 'cache-control': 'no-store', ...connection, ...answer.headers })
    .end(isText ? answer.body : `${JSON.stringify(answer.body)}\n`);
}

async function answerTo(site: Site, request: IncomingMessage): Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (url === null) return { status: 400, body: { error: 'that is no path' } };
  // Node leaves the body away where only the head is asked for.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const at = `${method} ${url.pathname}`;
  if (!isOurName(site, request)) return MISDIRECTED;
  if (at === 'GET /healthz') return { status: 200, body: 'ok\n' };
  if (at === 'GET /readyz') return site.isReady() ? { status: 200, body: 'ok\n' } : { status: 503, body: 'stopping\n' };
  const [, hook] = /^POST \/flagger\/([a-z-]+)$/.exec(at) ?? [];
  if (isHook(hook)) return hookOf(site, hook, request);
  if (!mayAsk(site, request)) return UNAUTHORIZED;
  if (at === 'GET /metrics') return { status: 200, body: site.metrics() };
  if (at === 'GET /v1/verdict') return verdictOf(site, url);
  if (at === 'GET /v1/gates') return { status: 200, body: site.jobs.list().map(describeJob) };
  if (at === 'POST /v1/gates') return startGate(site, request);
  const [, gate] = /^GET \/v1\/gates\/([\w-]+)$/.exec(at) ?? [];
  if (gate !== undefined) return describeGate(site, gate);
  return { status: 404, body: { error: `there is no ${at}`, endpoints: ENDPOINTS } };
}

/**
 * Without a token whoever reaches the port is trusted, and browsers reach it, too, for a page whose name was made to point here.
 * They say that name.
 */
function isOurName({ token }: Site, { headers: { host = '' } }: IncomingMessage): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return token !== undefined || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

const MISDIRECTED: Answer = {
  status: 421,
  body: { error: 'without a token only this machine is answered, by a name of its own: localhost or 127.0.0.1' },
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

/** @param said the token, where it is not in a header */
function mayAsk({ token }: Site, request: IncomingMessage, said?: string): boolean {
  if (token === undefined) return true;
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  // Digests have one length, whatever was sent.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(said ?? bearer ?? ''), digest(token));
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

/** What a user's key is called among those of all askers. */
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
    ? { status: 404, body: { error: `there is no gate ${id}: it was forgotten, or this server never had it` } }
    : { status: 200, body: describeJob(job) };
}

/** Of a request that names something else than what the gate that it found was asked for. */
function refusalOf(job: GateJob | undefined, named: NamedParts): Answer | undefined {
  return job === undefined || agrees(job, named) ? undefined : { status: 422, body: { error: new KeyError(job).message } };
}

/**
 * For Argo Rollouts: of the gate with the key, or the newest of the candidate. Inconclusive as long as it runs. Names of candidates
 * stay from version to version: only a key, or a version, says which one is meant.
 */
function verdictOf(site: Site, url: URL): Answer {
  const query = parsed(questionSchema, Object.fromEntries(url.searchParams), 'the query');
  if ('status' in query) return query;
  const { key, ...named } = query.value;
  if (key !== undefined) {
    const job = site.jobs.byKey(userKey(key));
    return refusalOf(job, named) ?? tellVerdict(job, `with the key ${key}`);
  }
  const question = site.choose(named);
  if ('refused' in question) return { status: 422, body: { error: question.refused } };
  return tellVerdict(site.jobs.newest(question), `of ${question.candidate} in the place of ${question.baseline}`);
}

function tellVerdict(job: GateJob | undefined, what: string): Answer {
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
  // What is only noted tells nothing, and starts nothing.
  if (hook !== 'event' && !mayAsk(site, request, metadata?.['token'])) return UNAUTHORIZED;
  if (isNews(hook)) return told(answerFlagger(hook, undefined), undefined);
  const named: NamedParts = Object.fromEntries(QUESTION_PARTS.map((part) => [part, metadata?.[part]]));
  // One version of one canary is one gate, whichever hook asks for it.
  const key = `flagger ${namespace}/${name} ${checksum}`;
  const known = site.jobs.byKey(key);
  const isAnswered = known !== undefined && !couldNotRun(known);
  if (isAnswered || !startsGate(hook)) return refusalOf(known, named) ?? told(answerFlagger(hook, known), known);
  const question = site.choose(named);
  if ('refused' in question) return { status: 422, body: { error: question.refused } };
  const answer = started(site, question, key);
  if (answer.status > 202) return answer;
  const job = site.jobs.byKey(key);
  return told(answerFlagger(hook, job), job);
}

function told({ status, message }: FlaggerAnswer, job: GateJob | undefined): Answer {
  return { status, body: { message, ...(job === undefined ? {} : { gate: job.id }) } };
}

/** What is told of a gate. */
function describeJob({ id, status, result, ...job }: GateJob): unknown {
  const question = Object.fromEntries(QUESTION_PARTS.flatMap((part) => (job[part] === undefined ? [] : [[part, job[part]]])));
  return { id, ...question, status, ...(result === undefined ? {} : { result }) };
}

async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<{ readonly value: T } | Answer> {
  // A page of a browser can send anything else without asking first.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, body: { error: 'a request is JSON, and says so: content-type: application/json' } };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return { status: 413, body: { error: `a request has at most ${MAX_BODY_BYTES} bytes` } };
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

/** @param what the value is called in errors */
function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): { readonly value: T } | Answer {
  const { success, data, error } = schema.safeParse(value);
  if (success) return { value: data };
  const issue = error.issues[0];
  return {
    status: 400,
    body: { error: `${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`.replace(':  ', ': ') },
  };
}

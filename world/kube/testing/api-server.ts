import { defined } from '../../../model/defined.ts';
import type { ObjectMeta } from '../../../model/kube.ts';
import type { ServiceAccountName } from '../../../model/service-account.ts';
import type { Effect, Principal } from '../../../model/operation.ts';
import { createRandom } from '../../../runtime/random.ts';
import type { ClockScope } from '../../../runtime/clock.ts';
import { createVirtualTimeline } from '../../../runtime/timeline.ts';
import { isStream, readText } from '../../../wire/wire.ts';
import type { WireResponse } from '../../../wire/wire.ts';
import { createApiServer } from '../api-server.ts';
import type { ApiServer } from '../api-server.ts';

/** An answer with its body decoded. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
  readonly effect: Effect;
  readonly headers: Readonly<Record<string, string>>;
}

/** A JSON object, loosely typed for tests. */
export interface Json {
  readonly kind?: string;
  readonly metadata: ObjectMeta & { continue?: string; remainingItemCount?: number };
  readonly message?: string;
  readonly reason?: string;
  readonly items?: readonly Json[];
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

export interface WatchLine {
  readonly type: string;
  readonly object: Json;
}

interface CallOptions {
  readonly contentType?: string;
  readonly principal?: Principal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server with a client on its wire. */
export interface Bench {
  readonly server: ApiServer;
  readonly clock: ClockScope;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  merge(path: string, body: unknown): Promise<Reply>;
  /** Opens a watch and collects its lines until it ends or `stop` is called. */
  watch(path: string, accept?: string): Promise<{ readonly lines: WatchLine[]; readonly done: Promise<void>; stop(): void }>;
}

export const START_MS = Date.parse('2026-01-01T00:00:00Z');

/**
 * Runs `work` against a fresh server under virtual time.
 * @param targetAccount roles say what is allowed, and the target is this service account
 */
export async function withServer(
  work: (bench: Bench) => Promise<void>,
  seed: number | string = 1,
  targetAccount?: ServiceAccountName,
): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const server = createApiServer({ clock: timeline.scope('world'), random: random.fork('kube'), ...defined({ targetAccount }) });
  const bench = openBench(server, timeline.scope('test'));
  await timeline.run(work(bench));
  server.stop();
}

function openBench(server: ApiServer, clock: ClockScope): Bench {
  const send: (...args: Parameters<Bench['call']>) => Promise<WireResponse & { effect: Effect }> = (method, path, body, options = {}) => {
    const request = {
      method,
      path,
      headers: { 'content-type': options.contentType ?? 'application/json', ...options.headers },
      ...defined({ body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const caller = { principal: options.principal ?? 'target', incarnation: 1, span: 0 } as const;
    return server.backend.handle(request, server.backend.describe(request), caller);
  };
  const call: Bench['call'] = async (...args) => {
    const { status, body, effect, headers } = await send(...args);
    const text = await readText(body);
    return {
      status,
      effect,
      headers,
      body: (headers['content-type'] === 'application/json' ? JSON.parse(text) : { message: text }) as Json,
    };
  };
  return {
    server,
    clock,
    call,
    merge: (path, body) => call('PATCH', path, body, { contentType: 'application/merge-patch+json' }),
    watch: async (path, accept) => {
      const closing = new AbortController();
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const request = { method: 'GET', path, headers, signal: closing.signal };
      const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
      const { body, status } = await server.backend.handle(request, server.backend.describe(request), caller);
      if (!isStream(body)) throw new Error(`the watch was refused with ${status}`);
      const lines: WatchLine[] = [];
      const read = async (): Promise<void> => {
        for await (const line of body) lines.push(JSON.parse(String(line)) as WatchLine);
      };
      return { lines, done: read(), stop: () => closing.abort() };
    },
  };
}

export const PODS = '/api/v1/namespaces/default/pods';

/** A valid pod. */
export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, spec: { containers: [{ name: 'main', image: 'pause' }], ...spec } };
}

/** A cluster-scoped definition with a status subresource: NodeClaims. */
export const NODE_CLAIM_CRD = {
  metadata: { name: 'nodeclaims.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    scope: 'Cluster',
    names: { plural: 'nodeclaims', singular: 'nodeclaim', kind: 'NodeClaim', listKind: 'NodeClaimList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
    ],
  },
};

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';

export function claim(name: string, more: object = {}): object {
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name }, spec: { size: 1 }, ...more };
}

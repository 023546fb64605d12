import { expect, test } from '@playwright/test';
import { KubeError } from '../clients/kube-client.ts';
import type { KubeClient } from '../clients/kube-client.ts';
import type { KubeObject } from '../model/kube.ts';
import type { ClockScope } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { LEASE_DURATION_MS, LEASE_RENEW_DEADLINE_MS, LEASE_RETRY_MS } from './constants.ts';
import type { Context } from './context.ts';
import { lead } from './leader.ts';
import { EVERY_POOL } from './scope.ts';

/** A server of one lease. */
class LeaseServer {
  lease: (KubeObject & { spec: Record<string, unknown> }) | undefined;
  isDown = false;
  #version = 0;

  get client(): KubeClient {
    return {
      get: () => this.#answer(() => this.lease),
      create: (_type: unknown, object: KubeObject) => this.#answer(() => this.#write({ ...object, spec: {} }, object)),
      patch: (_ref: unknown, patch: KubeObject) =>
        this.#answer(() => {
          if (this.lease === undefined) throw new KubeError(404, 'NotFound', '');
          if (patch.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw new KubeError(409, 'Conflict', '');
          return this.#write(this.lease, patch);
        }),
    } as unknown as KubeClient;
  }

  #write(base: KubeObject & { spec: Record<string, unknown> }, change: KubeObject): KubeObject {
    this.#version += 1;
    const { spec } = change as KubeObject & { spec: Record<string, unknown> };
    this.lease = { metadata: { ...base.metadata, resourceVersion: String(this.#version) }, spec: { ...base.spec, ...spec } };
    return this.lease;
  }

  #answer<T>(work: () => T): Promise<T> {
    return this.isDown ? Promise.reject(new KubeError(503, 'ServiceUnavailable', '')) : Promise.resolve().then(work);
  }
}

interface Replica {
  readonly scope: ClockScope;
  readonly leadership: ReturnType<typeof lead>;
  stop(): void;
}

async function withReplicas(
  work: (server: LeaseServer, start: (name: string) => Replica, clock: ClockScope) => Promise<void>,
): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const server = new LeaseServer();
  const start = (name: string): Replica => {
    const scope = timeline.scope(name);
    const stopping = new AbortController();
    const runtime = { clock: scope, random: createRandom(name), signal: stopping.signal, log: () => undefined };
    const leadership = lead({ runtime, kube: server.client, scope: EVERY_POOL } as unknown as Context, name);
    return { scope, leadership, stop: () => stopping.abort(new Error('stopped')) };
  };
  await timeline.run(work(server, start, timeline.scope('test')));
}

test('one replica leads; the next one takes over after its death, but not before its lease has expired', async () => {
  await withReplicas(async (server, start, clock) => {
    const first = start('first');
    await first.leadership;
    const second = start('second');
    await clock.sleep(60_000);
    expect(server.lease?.spec['holderIdentity']).toBe('first');
    first.scope.kill();
    const diedMs = clock.nowMs();
    await second.leadership;
    expect(clock.nowMs() - diedMs).toBeGreaterThanOrEqual(LEASE_DURATION_MS - LEASE_RETRY_MS);
    expect(clock.nowMs() - diedMs).toBeLessThan(LEASE_DURATION_MS + 2 * LEASE_RETRY_MS);
    expect(server.lease?.spec['leaseTransitions']).toBe(1);
    second.stop();
  });
});

test('a stopping replica keeps the lease until its work has ended, and then releases it', async () => {
  await withReplicas(async (server, start, clock) => {
    const first = start('first');
    const { release } = await first.leadership;
    first.stop();
    // Work in progress at the stop may take longer than the lease lasts.
    await clock.sleep(2 * LEASE_DURATION_MS);
    expect(server.lease?.spec['holderIdentity']).toBe('first');
    await release();
    expect(server.lease?.spec['holderIdentity']).toBe('');
    const second = start('second');
    const fromMs = clock.nowMs();
    await second.leadership;
    expect(clock.nowMs() - fromMs).toBeLessThan(LEASE_RETRY_MS);
    second.stop();
  });
});

test("a replica that can't renew its lease stops before another may start", async () => {
  await withReplicas(async (server, start, clock) => {
    const first = start('first');
    const { lost } = await first.leadership;
    server.isDown = true;
    const fromMs = clock.nowMs();
    await expect(lost).rejects.toThrow('the leader election was lost');
    expect(clock.nowMs() - fromMs).toBeLessThanOrEqual(LEASE_RENEW_DEADLINE_MS + 2 * LEASE_RETRY_MS);
    expect(LEASE_RENEW_DEADLINE_MS + 2 * LEASE_RETRY_MS).toBeLessThan(LEASE_DURATION_MS);
  });
});

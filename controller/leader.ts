import { RESOURCES } from '../clients/resources.ts';
import type { KubeObject } from '../model/kube.ts';
import { never } from '../runtime/clock.ts';
import { logFailure } from '../runtime/log.ts';
import { LEASE_DURATION_MS, LEASE_RENEW_DEADLINE_MS, LEASE_RETRY_MS } from './constants.ts';
import type { Context } from './context.ts';
import { describeError, isConflict } from './core/errors.ts';
import { scopedName } from './scope.ts';

/** A coordination.k8s.io/v1 Lease. */
interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number;
    acquireTime?: string | null;
    renewTime?: string | null;
    leaseTransitions?: number;
  };
}

/** We hold the lease, and renew it until it is released, also while work in progress ends after a stop. */
export interface Leadership {
  /** Rejects when another replica may hold it. Never resolves. */
  readonly lost: Promise<never>;
  /** Releases it, so that the next replica starts at once: call it when no work is in progress any more. Never throws. */
  release(): Promise<void>;
}

const NAMESPACE = 'kube-system';
/** Autoscalers that are confined to some pools have separate leases, named after their pools. */
const NAME = 'karpenter-leader-election';

/**
 * Waits until this replica holds the lease, and keeps it. Another replica's lease has expired if it did not change for its whole
 * duration on our own clock: other clocks are not trusted. Source: client-go, `tools/leaderelection`.
 */
export async function lead(context: Context, identity: string): Promise<Leadership> {
  const { clock, signal, log, random } = context.runtime;
  const elector = new Elector(context, identity);
  for (;;) {
    signal.throwIfAborted();
    try {
      if (await elector.tryHold()) break;
    } catch (error) {
      if (!isConflict(error)) logFailure(log, 'warn', `the lease can't be acquired: ${describeError(error)}`, error, { identity });
    }
    await clock.sleep(LEASE_RETRY_MS * (1 + 0.2 * random.next()), signal);
  }
  log('info', 'holds the lease', { identity });
  const releasing = new AbortController();
  const lost = keep(context, elector, releasing.signal);
  // Not every caller awaits it.
  lost.catch(() => undefined);
  const release = async (): Promise<void> => {
    releasing.abort(new Error('the lease is given back'));
    await elector.release().catch(() => undefined);
  };
  return { lost, release };
}

async function keep(context: Context, elector: Elector, released: AbortSignal): Promise<never> {
  const { clock } = context.runtime;
  let renewedMs = clock.monotonicMs();
  for (;;) {
    await clock.sleep(LEASE_RETRY_MS, released).catch(() => undefined);
    if (released.aborted) return never();
    // A renewal without a response must not outlast the lease.
    const held = await Promise.race([elector.tryHold(), clock.sleep(LEASE_RENEW_DEADLINE_MS, released).then(() => false)]).catch(
      () => false,
    );
    if (held) renewedMs = clock.monotonicMs();
    else if (!released.aborted && clock.monotonicMs() - renewedMs >= LEASE_RENEW_DEADLINE_MS)
      throw new Error('the leader election was lost');
  }
}

class Elector {
  readonly #context: Context;
  readonly #identity: string;
  readonly #name: string;
  /** The version of the lease that was last observed, and when it was first observed. */
  #seen: { readonly version: string | undefined; readonly atMs: number } | undefined;

  constructor(context: Context, identity: string) {
    this.#context = context;
    this.#identity = identity;
    this.#name = scopedName(NAME, context.scope);
  }

  /** Acquires the lease or renews it. Throws when the server refuses. */
  async tryHold(): Promise<boolean> {
    const { kube, runtime } = this.#context;
    const nowMs = runtime.clock.nowMs();
    const now = microTime(nowMs);
    const lease = await kube.get<Lease>({ type: RESOURCES.leases, namespace: NAMESPACE, name: this.#name });
    const mine = { holderIdentity: this.#identity, leaseDurationSeconds: LEASE_DURATION_MS / 1_000, renewTime: now };
    if (lease === undefined) {
      const spec = { ...mine, acquireTime: now, leaseTransitions: 0 };
      await kube.create<Lease>(RESOURCES.leases, { metadata: { name: this.#name, namespace: NAMESPACE }, spec });
      return true;
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== this.#identity && !this.#hasRunOut(lease, nowMs)) return false;
    const taken = holder === this.#identity ? {} : { acquireTime: now, leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1 };
    await this.#patch(lease, { ...mine, ...taken });
    return true;
  }

  /** Lets the next replica start at once. */
  async release(): Promise<void> {
    const lease = await this.#context.kube.get<Lease>({ type: RESOURCES.leases, namespace: NAMESPACE, name: this.#name });
    if (lease?.spec?.holderIdentity === this.#identity) await this.#patch(lease, { holderIdentity: '', leaseDurationSeconds: 1 });
  }

  #hasRunOut({ metadata, spec }: Lease, nowMs: number): boolean {
    const { resourceVersion: version } = metadata;
    if (this.#seen?.version !== version) this.#seen = { version, atMs: nowMs };
    const durationMs = (spec?.leaseDurationSeconds ?? LEASE_DURATION_MS / 1_000) * 1_000;
    return nowMs - (this.#seen?.atMs ?? nowMs) >= durationMs;
  }

  async #patch(lease: Lease, spec: NonNullable<Lease['spec']>): Promise<void> {
    const ref = { type: RESOURCES.leases, namespace: NAMESPACE, name: this.#name };
    await this.#context.kube.patch(ref, { metadata: { resourceVersion: lease.metadata.resourceVersion }, spec });
  }
}

/** RFC 3339 with microseconds, as in a Lease. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

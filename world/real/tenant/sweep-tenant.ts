import { createKubeClient } from '../../../clients/kube.ts';
import type { Discovery, KubeClient } from '../../../clients/kube-client.ts';
import { readKubeconfig } from '../../../clients/kubeconfig.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import { cleanUp, listOwned } from './clean.ts';
import { Tenant } from './tenant.ts';
import type { Tenancy } from './tenant.ts';

/** A cluster in which a run was a tenant. */
export interface TenancyPlace extends Tenancy {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** From the kubeconfig when the run started: the file must not point to another cluster by now. */
  readonly server: string;
  /** Whether the target's finalizers may be removed: it belonged to the run, and is gone. */
  readonly isOwnTarget: boolean;
}

/** How long leftovers may take to go. */
const CLEANUP_TIMEOUT_MS = { own: 10_000, others: 120_000 } as const;

/** What a run left in a cluster, as `nodes/NAME`. @throws Error when that can't be determined */
export function findTenantsLeftovers(place: TenancyPlace, clock: Clock): Promise<string[]> {
  return withClient(place, clock, (client) => listOwned({ client, owner: new Tenant(place) }));
}

/** Removes a run's leftovers. @returns what still exists @throws Error when the cluster can't be used */
export function clearTenancy(place: TenancyPlace, clock: Clock): Promise<string[]> {
  const { isOwnTarget } = place;
  const how = { timeoutMs: CLEANUP_TIMEOUT_MS[isOwnTarget ? 'own' : 'others'], removeFinalizers: isOwnTarget, runContinues: false };
  return withClient(place, clock, (client) => cleanUp({ client, clock, owner: new Tenant(place), ...how }));
}

async function withClient<T>(
  { kubeconfig, server }: TenancyPlace,
  clock: Clock,
  work: (client: KubeClient & Discovery) => Promise<T>,
): Promise<T> {
  const access = await readKubeconfig(kubeconfig);
  if (access.baseUrl !== server) throw new Error(`${kubeconfig} now points to ${access.baseUrl}, but the run was in ${server}`);
  const http = createHttpWire(access);
  try {
    return await work(createKubeClient({ wire: http.wire, clock }));
  } finally {
    http.destroy();
  }
}

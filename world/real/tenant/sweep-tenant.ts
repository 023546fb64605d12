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
  /** Path of a kubeconfig of its administrator. */
  readonly kubeconfig: string;
  /** As the kubeconfig had it when the run began: it must not mean another cluster by now. */
  readonly server: string;
  /** Whether the target's finalizers may be taken off: it was the run's own, and is gone. */
  readonly isOwnTarget: boolean;
}

/** How long what nobody waits for any more may take to go. */
const PATIENCE_MS = { own: 10_000, others: 120_000 } as const;

/** What a run left in a cluster, as `nodes/NAME`. @throws Error when that can't be found out */
export function findTenantsLeftovers(place: TenancyPlace, clock: Clock): Promise<string[]> {
  return withClient(place, clock, (client) => listOwned({ client, owner: new Tenant(place) }));
}

/** Removes it. @returns what is still there @throws Error when the cluster can't be used */
export function clearTenancy(place: TenancyPlace, clock: Clock): Promise<string[]> {
  const { isOwnTarget } = place;
  const how = { patienceMs: PATIENCE_MS[isOwnTarget ? 'own' : 'others'], removeFinalizers: isOwnTarget, goesOn: false };
  return withClient(place, clock, (client) => cleanUp({ client, clock, owner: new Tenant(place), ...how }));
}

async function withClient<T>(
  { kubeconfig, server }: TenancyPlace,
  clock: Clock,
  work: (client: KubeClient & Discovery) => Promise<T>,
): Promise<T> {
  const access = await readKubeconfig(kubeconfig);
  if (access.baseUrl !== server) throw new Error(`${kubeconfig} names ${access.baseUrl} by now, and the run was in ${server}`);
  const http = createHttpWire(access);
  try {
    return await work(createKubeClient({ wire: http.wire, clock }));
  } finally {
    http.destroy();
  }
}

import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { resourceOfPlural } from '../real/resources.ts';
import { KINDS_OF_TRIALS, SOLE_TENANT } from '../real/tenant/sole-tenant.ts';
import { ClusterError } from './diagnose.ts';

/** The label of the namespace `default` in clusters that are reserved for trials: they are emptied before each trial. */
export const TRIALS_LABEL = 'scaleproof.trials';
const NAMESPACE = 'default';
/** Maximum objects that an error names. */
const MAX_NAMED = 5;

/**
 * Checks that a cluster is reserved for trials, and marks it: either it has the mark, or it is empty.
 * @throws ClusterError that names what a trial would remove
 */
export async function claimCluster(client: KubeClient, name: string): Promise<void> {
  const namespace = { type: RESOURCES.namespaces, name: NAMESPACE };
  const marked = (await client.get(namespace))?.metadata.labels?.[TRIALS_LABEL];
  if (marked !== undefined) return;
  const found = await inTheWay(client);
  if (found.length > 0) {
    const rest = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : '';
    throw new ClusterError(
      `the cluster ${name} is not empty, and trials would remove its objects: ${found.slice(0, MAX_NAMED).join(', ')}${rest}`,
      `name an empty one, or use --world existing, which leaves them alone; if they may all be deleted: kubectl label namespace ${NAMESPACE} ${TRIALS_LABEL}=own`,
    );
  }
  await client.patch(namespace, { metadata: { labels: { [TRIALS_LABEL]: 'own' } } });
}

async function inTheWay(client: KubeClient): Promise<string[]> {
  const found: string[] = [];
  for (const plural of KINDS_OF_TRIALS) {
    const type = resourceOfPlural(plural);
    if (type === undefined) continue;
    const objects = await client.list(type).catch((error: unknown) => {
      // Not served: there are none.
      if (error instanceof KubeError && error.status === 404) return [];
      throw error;
    });
    for (const object of objects.filter((one) => SOLE_TENANT.owns(one, plural))) found.push(`${plural}/${object.metadata.name ?? ''}`);
  }
  return found;
}

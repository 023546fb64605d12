import { KubeError } from '../../../clients/kube-client.ts';
import type { Context } from '../../../controller/context.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { Drainer } from '../../../controller/lifecycle/drain.ts';

/** The correct drainer, but an eviction that was refused with this status is never retried. */
export function askingOnce(context: Context, status: number): Drainer {
  const refused = new Set<string | undefined>();
  const evict: Context['kube']['evict'] = async (namespace, name, options) => {
    if (refused.has(options?.uid)) return;
    try {
      await context.kube.evict(namespace, name, options);
    } catch (error) {
      if (error instanceof KubeError && error.status === status) refused.add(options?.uid);
      throw error;
    }
  };
  return createDrainer({ ...context, kube: { ...context.kube, evict } });
}

import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeResources, watchedResources } from './watch-params.ts';

/** Caches that are older than this are normally taken out of service. */
const MAX_LAG_MS = 600_000;

const params = z.strictObject({
  resources: watchedResources,
  lagMs: z
    .number()
    .int()
    .positive()
    .max(MAX_LAG_MS)
    .meta({ description: 'how far behind; to give kinds different lags, inject one fault for each', examples: [30_000] }),
});

/**
 * The API server's watch cache lags: watches deliver late, but in order and completely, and lists from the cache
 * (`resourceVersion=0`, as after a restart) show an older state than the target may have seen. Consistent reads stay
 * consistent, and a list with a minimum revision that the cache has not reached is refused with 504. A watch that asks for initial
 * events without a revision (client-go from v0.35 on) is consistent, too: it waits three seconds for the cache, and is then refused. Legal:
 * each API server has its own cache, fed by one etcd watch per resource.
 */
export const watchLag = defineFault({
  name: 'watch-lag',
  summary: 'watches deliver late, and lists from the watch cache show an older state',
  params,
  legal: true,
  capabilities: () => ['watch.perturb'],
  color: '#65a30d',
  describe: ({ resources, lagMs }) => `what the target sees of ${describeResources(resources)} is ${lagMs / 1000} s old`,
  inject: ({ resources, lagMs }, { ports, fired }) => ports.watches.lag({ resources, lagMs, fired: (span) => fired(span) }),
});

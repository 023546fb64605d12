import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';
import { describeResources, watchedResources } from './watch-params.ts';

const params = z.strictObject({
  resources: watchedResources,
  expired: z.boolean().default(false).describe('watches end with 410 Expired, so the client has to list again before it can watch'),
  periodMs: z
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: 'how often they are closed; by default once', examples: [20_000] }),
});

/** The API server ends watches, as it may at any time: silently, or because their resource version was compacted. Legal. */
export const closedWatches = defineFault({
  name: 'closed-watches',
  summary: 'the API server closes open watches, or ends them with 410 Expired',
  params,
  legal: true,
  capabilities: () => ['watch.perturb'],
  color: '#0369a1',
  describe: ({ resources, expired, periodMs }) => {
    const how = expired ? 'end with 410 Expired' : 'are closed';
    return `watches of ${describeResources(resources)} ${how}${periodMs === undefined ? '' : ` every ${periodMs / 1000} s`}`;
  },
  inject: ({ resources, expired, periodMs }, { ports, fired }) =>
    ports.watches.close({
      resources,
      expired,
      ...defined({ periodMs }),
      fired: (span) => fired(span),
    }),
});

import { z } from 'zod';

/** The resources whose watches a fault affects, as parameters. */
export const watchedResources = z
  .array(z.string().regex(/^([a-z0-9]+|\*)$/, 'a plural name such as pods, or *'))
  .min(1)
  .default(['*'])
  .describe('plural names: pods, nodes, nodeclaims; * for all');

/** The resources in words. */
export function describeResources(resources: readonly string[]): string {
  return resources.includes('*') ? 'every resource' : resources.join(' and ');
}

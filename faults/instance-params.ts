import { z } from 'zod';
import type { OfferingSelector } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { offeringParams, selectorOf } from './offering-params.ts';

/** The instances that a fault affects, as parameters: of these offerings, at most the first `count` (by default all). */
export const instanceParams = {
  ...offeringParams,
  count: z.number().int().positive().optional().describe('at most this many, the first ones; by default all'),
};

type InstanceParams = z.infer<z.ZodObject<typeof instanceParams>>;

export function selectInstances({ count, ...offerings }: InstanceParams): { readonly selector: OfferingSelector; readonly count?: number } {
  return { selector: selectorOf(offerings), ...defined({ count }) };
}

/** The instances in words. */
export function describeInstances({ instanceTypes, zones, capacityTypes, count }: InstanceParams): string {
  return [
    count === undefined ? 'every' : count === 1 ? 'the first' : `each of the first ${count}`,
    ...(capacityTypes === undefined ? [] : [capacityTypes.join(' or ')]),
    ...(instanceTypes === undefined ? [] : [instanceTypes.join(' or ')]),
    'instance',
    ...(zones === undefined ? [] : [`in ${zones.join(' or ')}`]),
  ].join(' ');
}

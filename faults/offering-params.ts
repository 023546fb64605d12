import { z } from 'zod';
import type { OfferingSelector } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';

/** The offerings that a fault affects, as parameters: those that are in every given list; without lists all. */
export const offeringParams = {
  instanceTypes: z.array(z.string().min(1)).min(1).optional().describe('only these types; by default all'),
  zones: z.array(z.string().min(1)).min(1).optional().describe('only these zones; by default all'),
  capacityTypes: z
    .array(z.enum(['spot', 'on-demand']))
    .min(1)
    .optional()
    .describe('only these capacity types; by default both'),
};

type OfferingParams = { readonly [Key in keyof OfferingSelector]: OfferingSelector[Key] | undefined };

export function selectorOf({ instanceTypes, zones, capacityTypes }: OfferingParams): OfferingSelector {
  return {
    ...defined({ instanceTypes, zones, capacityTypes }),
  };
}

/** e.g. `spot capacity of every type in us-east-1a` */
export function describeOfferings({ instanceTypes, zones, capacityTypes }: OfferingParams): string {
  const capacity = capacityTypes?.join(' and ') ?? 'spot and on-demand';
  return `${capacity} capacity of ${instanceTypes?.join(', ') ?? 'every type'} in ${zones?.join(', ') ?? 'every zone'}`;
}

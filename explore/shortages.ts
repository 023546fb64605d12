import { faultNamed } from '../faults/catalogue.ts';
import type { OfferingSelector } from '../model/catalogue.ts';
import type { FaultData, ScenarioData } from './scenario-data.ts';

/** What faults of a scenario may make unavailable; undefined if one of them hinders the target in another way, too. */
export function withheldIn({ faults }: Pick<ScenarioData, 'faults'>): readonly OfferingSelector[] | undefined {
  const withheld = faults.filter(({ fault }) => faultNamed(fault)?.hinders !== false).map(withheldBy);
  return withheld.every((one) => one !== undefined) ? withheld : undefined;
}

function withheldBy({ fault, params }: FaultData): OfferingSelector | undefined {
  const known = faultNamed(fault);
  return known?.withholds?.(known.params.parse(params));
}

import { faultNamed } from '../faults/catalogue.ts';
import { selects } from '../model/catalogue.ts';
import type { Offering } from '../model/catalogue.ts';
import type { FaultData, ScenarioData } from './scenario-data.ts';

/** Whether an offering is for sale whatever the faults of a scenario do. */
export type ForSale = (offering: Offering) => boolean;

/** What can be bought at any time of a scenario; undefined if one of its faults hinders the target in another way, too. */
export function alwaysForSale({ faults }: Pick<ScenarioData, 'faults'>): ForSale | undefined {
  const effects = faults.map(effectOf);
  if (effects.includes(undefined)) return undefined;
  return (offering) => effects.every((isSold) => isSold?.(offering) !== false);
}

/** What can still be bought during a fault; undefined if it does something else. */
function effectOf({ fault, params }: FaultData): ForSale | undefined {
  const known = faultNamed(fault);
  if (known?.hinders === false) return () => true;
  const withheld = known?.withholds?.(known.params.parse(params));
  return withheld === undefined ? undefined : (offering) => !selects(withheld, offering);
}

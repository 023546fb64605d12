import { archOf } from './catalogue.ts';
import type { CapacityType, InstanceType, Pool } from './catalogue.ts';
import { LABEL } from './kube.ts';
import { allows, parseRequirements } from './requirements.ts';

const CAPACITY_TYPES: readonly CapacityType[] = ['spot', 'on-demand'];

/**
 * How many offerings pools allow by type, architecture, zone and capacity type. Requirements on other labels are ignored: the
 * number may be too high, never too low. An offering of two pools counts twice, since a target that goes by weight tries it twice.
 */
export function countOfferings(pools: readonly Pick<Pool, 'requirements'>[], types: Iterable<InstanceType>): number {
  const known = [...types];
  return pools.reduce((sum, { requirements }) => {
    const required = parseRequirements(requirements);
    const isAllowed = (label: string, value: string): boolean => {
      const set = required.get(label);
      return set === undefined || allows(set, value);
    };
    const capacityTypes = CAPACITY_TYPES.filter((capacityType) => isAllowed(LABEL.capacityType, capacityType));
    const ofPool = known
      .filter((type) => isAllowed(LABEL.instanceType, type.type) && isAllowed(LABEL.arch, archOf(type)))
      .map(({ zones, usageClasses }) => {
        const zonesAllowed = zones.filter((zone) => isAllowed(LABEL.zone, zone)).length;
        return zonesAllowed * usageClasses.filter((usage) => capacityTypes.includes(usage)).length;
      });
    return sum + ofPool.reduce((total, one) => total + one, 0);
  }, 0);
}

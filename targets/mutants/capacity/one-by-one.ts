import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import type { Resources } from '../../../model/resources.ts';

type Settings = Parameters<InstanceTypes['list']>[0];

/** The instance types, each of which is as advertised until a node of that very type says otherwise. @param isSo for these settings; the others are right */
export function oneByOne(types: InstanceTypes, isSo: (settings: Settings) => boolean): InstanceTypes {
  const learnt = new Map<string, Resources>();
  const list: InstanceTypes['list'] = (settings) => {
    const right = types.list(settings);
    return isSo(settings) ? right.map((type) => ({ ...type, allocatable: { ...type.allocatable, ...learnt.get(type.name) } })) : right;
  };
  return {
    list,
    get: (name, settings) => list(settings).find((type) => type.name === name),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
    learn: (name, allocatable, settings) => {
      if (!isSo(settings)) return types.learn(name, allocatable, settings);
      // The planted bug: nothing is concluded about other types.
      learnt.set(name, allocatable);
      return false;
    },
  };
}

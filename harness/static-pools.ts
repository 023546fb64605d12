import type { InstanceType, Pool } from '../model/catalogue.ts';
import { LABEL } from '../model/kube.ts';
import { countOfferings } from '../model/offerings.ts';

/** The labels of requirements that offerings alone decide. */
const DECIDED: readonly string[] = [LABEL.instanceType, LABEL.arch, LABEL.zone, LABEL.capacityType];

/**
 * Whether an autoscaler certainly can give a static pool all of its nodes, when no fault hinders it: some offering fits it, and
 * neither limits, nor `minimumValues`, nor the nodes' own settings may keep it from having them.
 */
export function canBeFilled(pool: Pool, types: Iterable<InstanceType>): boolean {
  const { replicas, requirements, limits = {}, minimumValues, nodeClass, nodeSettings } = pool;
  if (replicas === undefined || [minimumValues, nodeClass, nodeSettings, limits.cpu, limits.memoryMiB].some((one) => one !== undefined))
    return false;
  if (replicas > (limits.nodes ?? Infinity) || !requirements.every(({ key }) => DECIDED.includes(key))) return false;
  return countOfferings([pool], types) > 0;
}

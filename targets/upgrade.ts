import { defined } from '../model/defined.ts';
import { slower } from './slower.ts';
import type { Target } from './target.ts';

/** How the name of a target begins whose upgrade is a handover. */
export const HANDOVER = 'handover:';

/**
 * An autoscaler that is replaced by another in each trial, as an upgrade does, or a downgrade: the harness installs the other's
 * definitions and replaces the running one, at a moment drawn from the seed. Stored objects stay. Pools are applied and removed
 * as for the first. It has the features that both have, and the slower constants of both.
 * @throws Error when one of them can't be replaced by the other
 */
export function upgraded(from: Target, to: Target): Target {
  const external = [from, to].find((target) => target.external !== undefined || target.serviceAccount !== undefined);
  if (external !== undefined)
    throw new Error(`${external.name} can't take part in an upgrade: it is run externally, or has the rights of a service account`);
  if ((from.time ?? 'virtual') !== (to.time ?? 'virtual'))
    throw new Error(`${from.name} and ${to.name} can't take part in an upgrade: one of them runs in real time`);
  const both = [from, to];
  const memoryMiB = Math.max(...both.map((target) => target.memoryMiB ?? 0));
  return {
    name: `${from.name}..${to.name}`,
    summary: `${from.name}, which is replaced by ${to.name} during each trial`,
    ...defined({ time: from.time }),
    features: from.features.filter((feature) => to.features.includes(feature)),
    constants: slower(from.constants, to.constants),
    ...defined({ memoryMiB: memoryMiB === 0 ? undefined : memoryMiB }),
    ...(both.some(({ smallRegion }) => smallRegion) ? { smallRegion: true } : {}),
    ...(both.some(({ cost }) => cost === 'heavy') ? { cost: 'heavy' } : {}),
    resources: [...new Set(both.flatMap(({ resources }) => resources))],
    upgradesTo: to,
    ...defined({ program: from.program }),
    // Whoever of the two counts offerings has more to try.
    ...defined({ countGroups: to.countGroups && from.countGroups }),
    install: (site) => from.install(site),
    start: (site) => from.start(site),
    applyPools: (site, pools) => from.applyPools(site, pools),
    removePools: (site, pools, left) => from.removePools(site, pools, left),
  };
}

/**
 * The same with leader election: the second starts while the first still runs and holds the lease, as one of a chart's two replicas does.
 * @throws Error when one of them elects no leader
 */
export function handedOver(from: Target, to: Target): Target {
  const both = upgraded(electing(from), electing(to));
  const { memoryMiB } = both;
  return {
    ...both,
    name: `${HANDOVER}${both.name}`,
    summary: `${from.name}, which hands over to ${to.name} during each trial`,
    // Two programs run at once.
    ...defined({ memoryMiB: memoryMiB === undefined ? undefined : 2 * memoryMiB }),
    handsOver: true,
  };
}

function electing({ name, electing: found }: Target): Target {
  if (found === undefined) throw new Error(`${name} can't take part in a handover: it elects no leader here`);
  return found;
}

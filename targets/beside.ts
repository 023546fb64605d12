import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import type { Taint } from '../model/kube.ts';
import type { Log } from '../runtime/log.ts';
import { slower } from './slower.ts';
import type { Target, TargetProcess, TargetSite } from './target.ts';

/** Suffix of the second's pools. A suffix, because names of a run in a shared cluster start with the run's prefix. */
const SUFFIX = '-beside';
/** Keeps the scenario's pods off the second's nodes. */
const TAINT: Taint = { key: 'scaleproof.dev/beside', effect: 'NoSchedule' };

/**
 * Two autoscalers in one cluster: the first is confined to the pools of the scenario, the second to its own. Those are copies of
 * the scenario's pools, with other names, a taint, and without replicas: unless a pod tolerates every taint, the second has
 * nothing to do but is a neighbour that might interfere. They are applied and removed with the scenario's.
 * Only the first has the interruption queue: a notice that the second received and had to leave for the first would be late,
 * and during an outage of the queue too late. The second has no instances that anything could be announced about.
 *
 * It has the first's features, and the slower constants of both. They share one clock and one pair of wires: what kills one kills
 * both, and as soon as one has ended, both have.
 *
 * With a helper as the second, neither is confined: the first serves the scenario's pools, the helper may add to them, such as
 * hooks of groups, and both read the queue. It has the features of both, and the constants of the first.
 * @throws Error when one of them can't be confined, or has the rights of a service account; or for a helper beside which there is no
 * autoscaler
 */
export function beside(first: Target, second: Target): Target {
  const restricted = [first, second].find(({ serviceAccount }) => serviceAccount !== undefined);
  if (restricted !== undefined)
    throw new Error(
      `two autoscalers share one wire, so their rights can't be told apart: leave out rbac and serviceAccount of ${restricted.name}`,
    );
  if (first.helper === true) throw new Error(`${first.name} is no autoscaler: name it second, ${second.name}+${first.name}`);
  const common: Omit<Target, 'summary' | 'features' | 'constants' | 'start' | 'applyPools' | 'removePools'> = {
    name: `${first.name}+${second.name}`,
    ...(first.time === 'real' || second.time === 'real' ? { time: 'real' } : {}),
    ...(first.smallRegion === true || second.smallRegion === true ? { smallRegion: true } : {}),
    ...(first.cost === 'heavy' || second.cost === 'heavy' ? { cost: 'heavy' } : {}),
    ...defined({
      memoryMiB:
        first.memoryMiB === undefined && second.memoryMiB === undefined ? undefined : (first.memoryMiB ?? 0) + (second.memoryMiB ?? 0),
    }),
    resources: [...new Set([...first.resources, ...second.resources])],
    install: async (site) => {
      await first.install(site);
      await second.install(site);
    },
  };
  if (second.helper === true)
    return {
      ...common,
      summary: `${first.name}, and beside it in the same cluster ${second.name}`,
      features: [...new Set([...first.features, ...second.features])],
      constants: first.constants,
      ...defined({ program: first.program }),
      ...defined({ countGroups: first.countGroups }),
      withHelper: second,
      start: (site) => together(site, [first.start(siteOf('first', site)), second.start(siteOf('second', site))]),
      applyPools: async (site, pools) => {
        await first.applyPools(site, pools);
        await second.applyPools(site, pools);
      },
      removePools: async (site, pools, left, former) => {
        await first.removePools(site, pools, left, former);
        await second.removePools(site, pools, left, former);
      },
    };
  const own = confined(first, [`!*${SUFFIX}`]);
  const other = confined(second, [`*${SUFFIX}`]);
  return {
    ...common,
    summary: `${first.name}, and beside it in the same cluster ${second.name} with pools of its own`,
    features: first.features,
    constants: slower(first.constants, second.constants),
    start: (site) => together(site, [own.start(siteOf('first', site)), other.start(withoutQueue(siteOf('second', site)))]),
    applyPools: async (site, pools) => {
      await first.applyPools(site, pools);
      await second.applyPools(site, pools.map(besideOf));
    },
    removePools: async (site, pools, left, former) => {
      // To each autoscaler, the other's pools remain as long as they exist.
      await first.removePools(site, pools, [...left, ...[...pools, ...left].map(besideOf)], former);
      await second.removePools(site, pools.map(besideOf), [...left, ...left.map(besideOf)], former?.map(besideOf));
    },
  };
}

function confined(target: Target, pools: readonly string[]): Target {
  if (target.confinedTo !== undefined) return target.confinedTo(pools);
  throw new Error(`two autoscalers with one lease and one set of claims would fight: ${target.name} can't be confined to some pools`);
}

/** The second's copy of a pool. @throws Error for a pool whose name has the second's suffix */
function besideOf({ replicas: _replicas, ...pool }: Pool): Pool {
  if (pool.name.endsWith(SUFFIX))
    throw new Error(`the pool ${pool.name} has a name of those beside the scenario's: they end with ${SUFFIX}`);
  return { ...pool, name: `${pool.name}${SUFFIX}`, taints: [...pool.taints, TAINT] };
}

/** The site of one of them: with its own random source, and its name in its log. */
function siteOf(autoscaler: string, site: TargetSite): TargetSite {
  const { runtime } = site;
  const log: Log = (level, message, fields) => runtime.log(level, message, { ...fields, autoscaler });
  return { ...site, runtime: { ...runtime, random: runtime.random.fork(autoscaler), log } };
}

function withoutQueue({ cluster, ...site }: TargetSite): TargetSite {
  const { interruptionQueueUrl: _url, ...left } = cluster;
  return { ...site, cluster: left };
}

/** Two incarnations as one. */
function together({ runtime }: TargetSite, processes: readonly TargetProcess[]): TargetProcess {
  const allDone = Promise.all(processes.map(({ done }) => done)).then(() => undefined);
  // Errors are handled below.
  allDone.catch(() => undefined);
  const ended = processes.map(async ({ done }) => {
    await done;
    // When told to stop, wait for both. If one exits by itself, don't.
    if (runtime.signal.aborted) await allDone;
  });
  const kills = processes.flatMap(({ kill }) => kill ?? []);
  return {
    ready: Promise.all(processes.map(({ ready }) => ready)).then(() => undefined),
    done: Promise.race(ended),
    ...(kills.length === 0 ? {} : { kill: async () => void (await Promise.all(kills.map(async (kill) => kill()))) }),
  };
}

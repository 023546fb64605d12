import { z } from 'zod';
import { allows, matchesLabels, parseRequirements } from '../../model/requirements.ts';
import type { Requirements } from '../../model/requirements.ts';
import { subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { logFailure } from '../../runtime/log.ts';
import { isDeleting, nameOf } from '../api.ts';
import type { NodePool } from '../api.ts';
import { remainingLimits } from '../capacity/pool-limits.ts';
import { kubeletOf } from '../capacity/kubelet-of.ts';
import { offeringLabels } from '../capacity/instance-types.ts';
import type { NodeType } from '../capacity/instance-types.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import type { HostPort } from '../scheduling/host-ports.ts';
import { minimumsOf } from '../scheduling/minimum-values.ts';
import { openLabels } from '../scheduling/open-labels.ts';
import type { Option, PoolOptions } from '../scheduling/types.ts';
import { Daemons } from './daemons.ts';
import type { DaemonShare } from './daemons.ts';
import { isDecided, isStatic, poolLabels, poolSchema } from './pool-spec.ts';

/** Reads pools, and caches the result for each until the pool, the types or the DaemonSets change. */
export class PoolReader {
  readonly #context: Context;
  /** By pool name. */
  #known = new Map<string, KnownPool>();
  /** Pools, as they were last sent, that have been checked. */
  readonly #valid = new WeakSet<NodePool>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * The pools that nodes can be launched from now. An invalid one is logged and skipped.
   * @param isMeant by default dynamic pools
   */
  read(isMeant: (pool: NodePool) => boolean = (pool) => !isStatic(pool)): PoolOptions[] {
    const { state, runtime } = this.#context;
    const known = this.#known;
    this.#known = new Map();
    const daemonSets = state.daemonSets.list();
    const daemons = new Daemons(daemonSets);
    const daemonsKey = daemonSets.map(({ metadata }) => `${metadata.uid ?? ''}/${metadata.generation ?? ''}`).join();
    return state.pools.list().flatMap((pool) => {
      if (isDeleting(pool) || !isMeant(pool)) return [];
      try {
        this.#check(pool);
        const nodeClass = state.classes.get(pool.spec.template.spec.nodeClassRef.name);
        if (nodeClass === undefined || isDeleting(nodeClass)) return [];
        const options = this.#optionsOf(pool, known.get(nameOf(pool)), daemons, daemonsKey);
        this.#known.set(nameOf(pool), options);
        return [this.#readPool(pool, options)];
      } catch (error) {
        logFailure(runtime.log, 'error', `the pool can't be read: ${describeError(error)}`, error, { nodePool: nameOf(pool) });
        return [];
      }
    });
  }

  /** @throws Error when it is invalid */
  #check(pool: NodePool): void {
    if (this.#valid.has(pool)) return;
    const parsed = poolSchema.safeParse(pool);
    if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
    this.#valid.add(pool);
  }

  #readPool(pool: NodePool, { options, open, hostPorts }: KnownPool): PoolOptions {
    const { unavailable, markets } = this.#context;
    const isProbeDue = markets.probeInMs() === 0;
    const available: Option[] = [];
    const without: Option[] = [];
    const probes: Option[] = [];
    for (const option of options) {
      const { offering } = option;
      const isMasked = unavailable.has(offering);
      if (!isMasked && !markets.isDoubtful(offering)) {
        available.push(option);
        continue;
      }
      without.push(option);
      if (!isMasked && isProbeDue) probes.push({ ...option, refusedAtMs: markets.refusedAtMs(offering) });
    }
    return {
      name: nameOf(pool),
      weight: pool.spec.weight ?? 0,
      taints: pool.spec.template.spec.taints ?? [],
      // The same list as in other plans, if it is the same.
      options: without.length === 0 ? options : available,
      unavailable: without,
      probes,
      hostPorts,
      open,
      minimums: minimumsOf(pool.spec.template.spec.requirements),
      remaining: remainingLimits(this.#context, pool),
    };
  }

  #optionsOf(pool: NodePool, known: KnownPool | undefined, daemons: Daemons, daemonsKey: string): KnownPool {
    const { instanceTypes, state } = this.#context;
    const { metadata, spec } = pool;
    const types = instanceTypes.list(kubeletOf(state.classes, spec.template.spec.nodeClassRef));
    const key = `${metadata.uid ?? ''}/${JSON.stringify([spec.template, daemonsKey])}`;
    if (known?.key === key && known.types === types) return known;
    const labels = poolLabels(pool);
    const { requirements: stated, taints = [] } = spec.template.spec;
    const open = openLabels(stated, (name) => isDecided(name) || name in labels);
    const requirements = new Map([...parseRequirements(stated)].filter(([name]) => !open.has(name)));
    const hostPorts = new Set<HostPort>();
    const options = types.flatMap((type) => {
      // Most types are excluded by labels that all of their offerings share.
      for (const [name, set] of requirements) if (name in type.labels && !allows(set, type.labels[name])) return [];
      const rooms = new Map<DaemonShare, Resources>();
      return type.offerings.flatMap((offering) => {
        const all = offeringLabels(type, offering, labels);
        if (!matchesLabels(requirements, all)) return [];
        const share = daemons.shareOf(all, taints);
        const room = rooms.get(share) ?? subtractResources(type.allocatable, share.requests);
        rooms.set(share, room);
        for (const port of share.hostPorts) hostPorts.add(port);
        return [{ type, offering, usdPerHour: offering.usdPerHour, labels: all, room }];
      });
    });
    return { key, types, options, open, hostPorts: [...hostPorts] };
  }
}

/** The cached result for a pool. */
interface KnownPool {
  readonly key: string;
  readonly types: readonly NodeType[];
  readonly options: readonly Option[];
  readonly open: Requirements;
  readonly hostPorts: readonly HostPort[];
}

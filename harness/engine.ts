import { HISTORY_FORMAT } from '../history/events.ts';
import type { Bound, EventOf, Recorder } from '../history/events.ts';
import type { Usage } from '../history/usage.ts';
import type { Pool } from '../model/catalogue.ts';
import { CutShortError } from '../model/cut-short.ts';
import { defined } from '../model/defined.ts';
import { Mistake, placeOf } from '../model/mistake.ts';
import { keepsIdleNodes } from '../model/idle-nodes.ts';
import { SpinError, StalledError } from '../runtime/clock.ts';
import type { ClockScope, Timeline } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import type { Log } from '../runtime/log.ts';
import type { Random } from '../runtime/random.ts';
import type { Target, TargetSite } from '../targets/target.ts';
import type { World, WorldSite } from '../world/world.ts';
import { offeringsToTry } from './offerings-to-try.ts';
import { resolveBounds } from './bounds.ts';
import { untilConverged, waitingToSettle, waitingToVanish } from './convergence.ts';
import type { Convergence, Waiting } from './convergence.ts';
import { consolidatingPools, underusedNodes, untilConsolidated } from './underused.ts';
import type { Underuse, UnderuseSite } from './underused.ts';
import { CrashWatch } from './crash-watch.ts';
import type { CrashSpec } from './crash-points.ts';
import type { Scenario } from './scenario.ts';
import { outputLimitsOf } from './output-limits.ts';
import { SiteSockets } from './site-sockets.ts';
import { canBeFilled } from './static-pools.ts';
import { TargetLife, describe } from './target-life.ts';
import { checkedTrial } from './checked-trial.ts';
import { TrialContext } from './trial-context.ts';
import { storedObjects, upgradedObjects } from './upgraded-objects.ts';
import { firstScenarioId } from '../model/former-names.ts';

/** One trial: a scenario, a target, a seed, a world. */
export interface TrialSite {
  readonly scenario: Scenario;
  readonly suite: string;
  readonly scenarioDigest: string;
  readonly target: Target;
  readonly seed: number;
  /** Nodes that scaling scenarios should reach. */
  readonly nodes: number;
  /** Where the target is killed or upgraded, in addition to the scenario's own faults. */
  readonly crash?: CrashSpec;
  /** A target that is an upgrade is not upgraded: its side effects are counted. */
  readonly withoutUpgrade?: true;
  readonly timeline: Timeline;
  readonly recorder: Recorder;
  readonly createWorld: (site: WorldSite) => World;
  /** Called when the usage has changed that a check will judge. */
  readonly onUsage?: () => void;
}

/** A running trial, seen from the process that runs it. */
export interface RunningTrial {
  /** Resolves when the trial is over and its history complete, with whether it went through all its phases. Never rejects. */
  readonly done: Promise<boolean>;
  /** Reports an uncaught error that was thrown while this owner was running. */
  onUncaught(owner: string, error: unknown): void;
  /** The blocks of its own code that the target has run so far; none for targets that don't count them. */
  covered(): readonly number[];
  /** What the target has used of the machine so far; undefined if that can't be told from the rest of the trial. */
  usage(): Usage | undefined;
}

/** The target did something that no autoscaler may do: the trial is over. */
class TrialAborted extends Error {
  readonly kind: 'flooded';
  constructor(kind: 'flooded', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The target's adapter failed to set it up, so nothing can be run. */
class SetUpFailed extends Error {}

/** The scenario's own code failed, so that the trial has no verdict. The message names file and line. */
class ScenarioFailed extends Error {}

/** Errors that reach the scenario, and are not its own. */
const OF_THE_HARNESS = [SpinError, StalledError, CutShortError, TrialAborted] as const;

/** Runs one trial through its phases. All results are recorded in the history. */
export function startTrial(site: TrialSite): RunningTrial {
  const trial = new EngineTrial(site);
  return {
    done: trial.run(),
    onUncaught: (owner, error) => trial.onUncaught(owner, error),
    covered: () => trial.covered(),
    usage: () => trial.usage(),
  };
}

class EngineTrial {
  readonly #site: TrialSite;
  readonly #clock: ClockScope;
  readonly #random: Random;
  readonly #world: World;
  readonly #life: TargetLife;
  readonly #crash: CrashWatch | undefined;
  readonly #startMs: number;
  /** How often the operator has applied or removed pools. */
  /** Counted when a change begins and when it ends. */
  readonly #pools = { changes: 0 };
  /** Settles when the upgrade is over; absent until it begins. */
  #upgrading: Promise<void> | undefined;
  #operatorSockets: SiteSockets | undefined;
  #abort: (error: Error) => void = () => undefined;
  readonly #aborted: Promise<never>;

  constructor(site: TrialSite) {
    this.#site = site;
    this.#clock = site.timeline.scope('harness');
    this.#startMs = site.timeline.nowMs();
    this.#random = createRandom(site.seed).fork(site.scenario.origin ?? firstScenarioId(site.scenario.id));
    this.#crash = site.crash === undefined ? undefined : new CrashWatch(site.crash, site.recorder);
    this.#world = site.createWorld({
      timeline: site.timeline,
      random: this.#random.fork('world'),
      recorder: this.#crash?.recorder ?? site.recorder,
      onKill: (principal, incarnation, reason) => {
        if (principal === 'target') this.#life.kill(incarnation, reason);
      },
      onFailure: (error) => this.#abort(error),
      maxRequests: outputLimitsOf(site.nodes, site.scenario.profile).requests,
      onFlood: (message) => this.#abort(new TrialAborted('flooded', message)),
    });
    this.#life = new TargetLife({
      target: site.target,
      world: this.#world,
      random: this.#random.fork('target'),
      recorder: site.recorder,
      clock: this.#clock,
      onFlood: (message) => this.#abort(new TrialAborted('flooded', message)),
      maxLogLines: outputLimitsOf(site.nodes, site.scenario.profile).logLines,
      onCutShort: (error) => this.#abort(error),
      onSample: () => site.onUsage?.(),
    });
    this.#aborted = new Promise((_resolve, reject) => (this.#abort = reject));
    this.#aborted.catch(() => undefined);
  }

  onUncaught(owner: string, error: unknown): void {
    if (owner.startsWith('target')) this.#life.exitOf(owner, `died of an uncaught error: ${describe(error)}`);
    else this.#abort(error instanceof Error ? error : new Error(String(error)));
  }

  covered(): readonly number[] {
    return this.#life.covered();
  }

  usage(): Usage | undefined {
    return this.#life.usage();
  }

  async run(): Promise<boolean> {
    const { timeline, recorder } = this.#site;
    let clean = true;
    try {
      await timeline.run(Promise.race([this.#phases(), this.#aborted]));
    } catch (error) {
      clean = false;
      this.#recordFailure(error);
      await this.#life.killAll();
      await this.#cleanUp();
    }
    await this.#operatorSockets?.close();
    recorder.record({ type: 'trial.end' });
    return clean;
  }

  /** An error of the target is a finding; one of the harness makes the trial unknown. */
  #recordFailure(error: unknown): void {
    const { recorder } = this.#site;
    if (error instanceof SpinError && error.owner.startsWith('target')) {
      recorder.record({ type: 'supervisor', cause: 'spun', culprit: 'target', message: error.message });
    } else if (error instanceof TrialAborted) {
      recorder.record({ type: 'supervisor', cause: error.kind, culprit: 'target', message: error.message });
    } else if (error instanceof SetUpFailed) {
      // Already recorded where it was thrown.
    } else if (error instanceof StalledError && error.callsInFlight.some((call) => call.startsWith('target'))) {
      recorder.record({ type: 'supervisor', cause: 'hung', culprit: 'target', message: error.message });
    } else if (error instanceof ScenarioFailed) {
      recorder.record({ type: 'harness.error', message: error.message, culprit: 'scenario' });
    } else {
      recorder.record({
        type: 'harness.error',
        ...(error instanceof CutShortError ? { message: error.message, cutShort: true } : { message: describe(error) }),
      });
    }
  }

  /** An aborted trial has removed nothing: in a shared cluster nothing of it may stay. */
  async #cleanUp(): Promise<void> {
    try {
      await this.#world.clean?.();
    } catch (error) {
      this.#site.recorder.record({ type: 'harness.error', message: describe(error) });
    }
  }

  async #phases(): Promise<void> {
    const { scenario, target, recorder } = this.#site;
    const world = this.#world;
    const bounds = resolveBounds({
      constants: target.constants,
      allowances: world.allowances,
      nodes: this.#site.nodes,
      offerings: offeringsToTry(target, scenario.pools, world.instanceTypes.values()),
      pools: scenario.pools,
      ...defined({ mostNodes: scenario.mostNodes, podStopMs: scenario.podStopMs }),
    });
    this.#recordBegin();
    for (const bound of Object.values(bounds)) recorder.record({ type: 'bound', bound });
    for (const pool of scenario.pools) recorder.record({ type: 'pool', pool: describePool(pool) });
    recorder.record({ type: 'expectation', expectation: { kind: 'settled', bound: 'settle' } });
    const operator = this.#operator();
    const upgrade = (): void => {
      if (target.upgradesTo !== undefined) this.#upgrading ??= this.#upgrade(target.upgradesTo, operator, bounds.recover.value);
    };
    // First of all: a fault that the scenario injects must not answer the request before the crash sees it.
    await this.#crash?.arm(world, upgrade);
    const poolFor = (pool: Pool): Pool => world.poolFor?.(pool, target.features) ?? pool;
    const context = new TrialContext({
      world,
      recorder,
      clock: this.#site.timeline.scope('scenario'),
      random: this.#random.fork('scenario'),
      bounds,
      nodes: this.#site.nodes,
      constants: target.constants,
      restartTarget: () => this.#restart(bounds.recover.value),
      watchMemory: () => this.#life.watchMemory(),
      pools: scenario.pools,
      applyPools: async (pools) => {
        this.#pools.changes += 1;
        for (const pool of pools) recorder.record({ type: 'pool', pool: describePool(pool) });
        await this.#byTarget('applyPools', () => target.applyPools(operator, pools.map(poolFor)));
        this.#pools.changes += 1;
      },
      removePools: async (pools, left, former) => {
        this.#pools.changes += 1;
        for (const pool of pools) recorder.record({ type: 'pool', pool: describePool(pool), withdrawn: true });
        await this.#byTarget('removePools', () => target.removePools(operator, pools.map(poolFor), left.map(poolFor), former.map(poolFor)));
        this.#pools.changes += 1;
      },
    });
    const { instances, templates } = world.ports;
    const convergence = { cluster: world.port('observer'), instances, templates, truths: context.truths };

    recorder.record({ type: 'phase', phase: 'set-up' });
    await world.start();
    const isSetUp =
      (await this.#byTarget('install', () => target.install(operator))) &&
      (await this.#byTarget('applyPools', () => target.applyPools(operator, scenario.pools.map(poolFor))));
    if (!isSetUp) throw new SetUpFailed();
    await this.#life.start(Math.max(bounds.recover.value, target.external?.withinMs ?? 0));
    await this.#upgrading;

    recorder.record({ type: 'phase', phase: 'act' });
    const cancelUpgrade = this.#isUpgradedAnywhere() ? this.#scheduleUpgrade(upgrade, bounds.provision.value) : undefined;
    try {
      await this.#act(context);
    } finally {
      cancelUpgrade?.();
    }
    // A scenario that ends earlier is upgraded at its end.
    if (cancelUpgrade !== undefined) upgrade();
    await this.#upgrading;

    recorder.record({ type: 'phase', phase: 'heal' });
    await context.healAll();

    recorder.record({ type: 'phase', phase: 'settle' });
    const nowMs = this.#clock.nowMs();
    const keeping = context.pools.filter((pool) => keepsIdleNodes(pool, { fromMs: nowMs, toMs: nowMs + bounds.settle.value }));
    const { pools } = context;
    const isStatic = target.features.includes('static-capacity');
    const filled = isStatic ? pools.filter((pool) => canBeFilled(pool, world.instanceTypes.values())) : [];
    const isSettled = await this.#converge('settle', bounds.settle, bounds['launch-lag'], () =>
      waitingToSettle({ ...convergence, pools, keeping, filled, nowMs: this.#clock.nowMs() }),
    );
    // In a cluster that is shared, not all pods are seen, and pools have other names.
    if (isSettled && target.features.includes('consolidation') && world.poolFor === undefined)
      await this.#consolidate({ ...convergence, pools }, bounds.settle, bounds['launch-lag'].value);

    recorder.record({ type: 'phase', phase: 'remove' });
    await context.removeAll();
    await context.withdrawPools();
    await this.#converge('remove', bounds.teardown, bounds['launch-lag'], () => waitingToVanish(convergence, target.resources));

    await this.#upgrading;
    await this.#life.stop();
    await this.#crash?.heal();
    recorder.record({ type: 'phase', phase: 'over' });
    await world.stop();
  }

  /** Whether the target is upgraded at a moment drawn from the seed. */
  #isUpgradedAnywhere(): boolean {
    const { target, crash, withoutUpgrade } = this.#site;
    return target.upgradesTo !== undefined && crash === undefined && withoutUpgrade !== true;
  }

  /**
   * Upgrades the target at a moment drawn from the seed: while the first pods are served.
   * @returns a function after which it no longer begins by itself
   */
  #scheduleUpgrade(upgrade: () => void, withinMs: number): () => void {
    const timer = new AbortController();
    const atMs = this.#random.fork('upgrade').int(0, withinMs);
    void this.#clock.sleep(atMs, timer.signal).then(upgrade, () => undefined);
    return () => timer.abort();
  }

  /** Replaces the target by another, its definitions first. Whoever waits at a crash point goes on when the target was told to stop. */
  async #upgrade(to: Target, operator: TargetSite, readyLimitMs: number): Promise<void> {
    const goOn = (): void => void this.#crash?.heal();
    const handsOver = this.#site.target.handsOver === true;
    const { resources } = this.#site.target;
    const { changes } = this.#pools;
    const before = await storedObjects(operator, resources);
    if (await this.#byTarget('install', () => to.install(operator)))
      await this.#life.upgrade(to, readyLimitMs, { onTold: goOn, handsOver });
    else goOn();
    const isComparable = changes === this.#pools.changes;
    const after = await storedObjects(operator, resources);
    this.#site.recorder.record({ type: 'upgrade', ...upgradedObjects(before, after, isComparable) });
  }

  /** Runs the scenario's own code. Its errors are named as such, with the line where they come from. */
  async #act(context: TrialContext): Promise<void> {
    const { scenario } = this.#site;
    const { trial, finish } = checkedTrial(context, scenario);
    try {
      await scenario.run(trial);
      finish();
    } catch (error) {
      if (error instanceof Mistake) throw new ScenarioFailed(error.message);
      const place = error instanceof Error && !OF_THE_HARNESS.some((kind) => error instanceof kind) ? placeOf(error) : undefined;
      throw place === undefined ? error : new ScenarioFailed(`${place}: ${String(error)}`);
    }
  }

  async #restart(readyLimitMs: number): Promise<void> {
    if (this.#site.target.external !== undefined)
      throw new CutShortError("the scenario restarts the target, but the target is run externally and can't be restarted from here");
    await this.#life.restart(readyLimitMs);
  }

  /** Waits until no node is left whose pods would fit on another one. */
  async #consolidate(site: Omit<UnderuseSite, 'removing'>, limit: Bound, quietMs: number): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const removing = consolidatingPools(site.pools, this.#site.scenario.pools, { fromMs: nowMs, toMs: nowMs + limit.value });
    if (removing.length === 0) return;
    const look = (): Promise<Underuse> => underusedNodes({ ...site, removing });
    const consolidated = await untilConsolidated({ clock: this.#clock, limitMs: limit.value, quietMs, look });
    if (consolidated === undefined) return;
    this.#site.recorder.record({ type: 'expectation', expectation: { kind: 'underused-removed', bound: limit.name } });
    this.#recordConvergence('consolidate', consolidated);
  }

  /** @returns whether nothing was pending for the quiet time */
  async #converge(phase: 'settle' | 'remove', limit: Bound, quiet: Bound, look: () => Promise<Waiting[]>): Promise<boolean> {
    const converged = await untilConverged({ clock: this.#clock, limitMs: limit.value, quietMs: quiet.value, look });
    this.#recordConvergence(phase, converged);
    return converged.waiting.length === 0;
  }

  #recordConvergence(phase: EventOf<'convergence'>['phase'], { waiting, sinceMs }: Convergence): void {
    this.#site.recorder.record({
      type: 'convergence',
      phase,
      waiting: [...waiting],
      ...defined({ sinceMs: sinceMs === undefined ? undefined : sinceMs - this.#startMs }),
    });
  }

  /**
   * Runs a part of the target's own adapter for its operator. An error is the target's.
   * @returns whether it succeeded
   */
  async #byTarget(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#site.recorder.record({ type: 'target.panic', incarnation: 0, recovered: false, message: `${what} failed: ${describe(error)}` });
      return false;
    }
  }

  /** The operator who installs the target and applies pools: on its own connections, which no fault touches. */
  #operator(): TargetSite {
    const scope = this.#site.timeline.scope('operator');
    const { kube, aws } = this.#world.open('scenario', 1, scope);
    const { cluster } = this.#world;
    const log: Log = (_level, message) => this.#abort(new Error(`a socket of the operator: ${message}`));
    const sockets = new SiteSockets({ kube, aws, cluster, user: 'operator', log });
    this.#operatorSockets = sockets;
    return {
      runtime: { clock: scope, random: this.#random.fork('operator'), log: () => undefined, signal: new AbortController().signal },
      kube,
      aws,
      cluster,
      ...(this.#site.timeline.virtual ? {} : { openSockets: (kubeconfigPath: string) => sockets.open(kubeconfigPath) }),
    };
  }

  #recordBegin(): void {
    const { scenario, suite, scenarioDigest, target, seed, nodes, recorder, timeline } = this.#site;
    recorder.record({
      type: 'trial.begin',
      format: HISTORY_FORMAT,
      scenario: {
        id: scenario.id,
        title: scenario.title,
        suite,
        profile: scenario.profile,
        requirements: [...scenario.requirements],
        digest: scenarioDigest,
      },
      seed,
      nodes,
      target: { name: target.name, features: [...target.features], constants: { ...target.constants } },
      world: {
        name: this.#world.name,
        capabilities: [...this.#world.capabilities],
        allowances: { ...this.#world.allowances },
      },
      startMs: timeline.nowMs(),
    });
  }
}

/** A pool as recorded in the history. */
function describePool({
  name,
  requirements,
  weight,
  limits,
  disruption,
  expireAfterMs,
  terminationGracePeriodMs,
  minimumValues,
  replicas,
}: Pool): EventOf<'pool'>['pool'] {
  // Of a pool of fixed size, nodes beyond that size go, with pods or without.
  const keepsUsedNodes =
    replicas === undefined && (disruption?.consolidation !== 'when-empty-or-underutilized' || disruption.consolidateAfterMs === 'never');
  return {
    name,
    requirements: requirements.map(({ key, operator, values }) => ({ key, operator, ...defined({ values }) })),
    weight,
    ...defined({
      limits: limits && { ...limits },
      terminationGracePeriodMs,
      expireAfterMs,
      keepsUsedNodes: keepsUsedNodes || undefined,
      consolidateAfterMs: disruption?.consolidateAfterMs,
      budgets: disruption?.budgets?.map(({ reasons, ...budget }) => ({ ...budget, ...defined({ reasons: reasons && [...reasons] }) })),
      minimumValues: minimumValues && { ...minimumValues },
      replicas,
    }),
  };
}

/** Why a scenario can't be run on this target in this world; undefined when it can. */
export function whyNotRun(scenario: Scenario, target: Target, capabilities: readonly string[]): string | undefined {
  const features = scenario.needs.features.filter((feature) => !target.features.includes(feature));
  if (features.length > 0) return `target ${target.name} does not have the feature ${features.join(', ')}`;
  const missing = scenario.needs.capabilities.filter((capability) => !capabilities.includes(capability));
  if (missing.includes('time.virtual')) return `it needs virtual time, and target ${target.name} is a program in real time`;
  if (missing.length > 0) return `the world can't do ${missing.join(', ')}`;
  return undefined;
}

import { CONDITION, durationOf, isTrue, nameOf, nodePoolOf, uidOf } from '../api.ts';
import type { DisruptionReason, NodeClaim } from '../api.ts';
import { patchConditions } from '../claims.ts';
import type { Context } from '../context.ts';
import { isStatic } from '../provisioning/pool-spec.ts';
import type { PodValidator, Simulator } from '../scheduling/types.ts';
import { allowedDisruptions } from './budgets.ts';
import type { Allowed } from './budgets.ts';
import { disruptionCost, readCandidates, vetoOf, withoutGuarded } from './candidates.ts';
import type { Candidate } from './candidates.ts';
import { COMMAND_RULES, createCommands } from './commands.ts';
import type { Command, CommandRules, Commands } from './commands.ts';
import { createCheaper, createConsolidator } from './consolidation.ts';
import type { Cheaper, Consolidation, Consolidator } from './consolidation.ts';
import { driftOf } from './drift.ts';
import { createPodActivity } from './pod-activity.ts';
import type { PodActivity } from './pod-activity.ts';
import { createRehousing } from './rehousing.ts';
import type { Rehousing } from './rehousing.ts';
import { createStaticReplacements } from './static-drift.ts';
import type { StaticReplacements } from './static-drift.ts';

/** The part that replaces nodes which have drifted, and consolidates those that are underused. */
export interface Disruption {
  /** One look at all nodes; takes as long as a plan to consolidate has to hold. */
  sweep(): Promise<void>;
  /** Whether a claim is a node that is being replaced, or a replacement: it is not empty. */
  involves(claim: NodeClaim): boolean;
}

/** What decides whether a node may be taken. */
export interface DisruptionRules extends CommandRules {
  readonly allowed: Allowed;
  readonly cheaper: Cheaper;
  readonly driftOf: typeof driftOf;
  /** What is left of a plan after its time: by default what is planned anew for the same nodes, if that is no more. */
  readonly validate: (found: Consolidation, again: () => Promise<Consolidation | undefined>) => Promise<Consolidation | undefined>;
  /** How long a plan to consolidate must hold before it is carried out. */
  readonly validationMs: number;
}

/**
 * Karpenter's disruption loop: drifted nodes first, each with its replacements; then several nodes at once that one cheaper
 * node, or none, can stand for; then one. A replacement is initialized before the old node is drained; one that does not
 * come leaves the old node as it was. What is consolidated was planned twice, some time apart, and looked at once more when
 * no pod could come any longer. Nodes of pools with a number of nodes of their own are replaced when they have drifted, each by
 * one of the same pool, and not consolidated. Source: Karpenter, `pkg/controllers/disruption`, v1.8.
 * @param rules those that are not as they should be
 */
export function createDisruption(
  context: Context,
  parts: { readonly validator: PodValidator; readonly simulator: Simulator },
  rules: Partial<DisruptionRules> = {},
): Disruption {
  const { runtime, periods } = context;
  return new DisruptionSweep(context, createRehousing(context, parts), {
    veto: vetoOf,
    ...COMMAND_RULES,
    allowed: (pool, reason) => allowedDisruptions(context, pool, reason, runtime.clock.nowMs()),
    cheaper: createCheaper(context),
    driftOf,
    validate: async (found, again) => {
      const valid = await again();
      // What needed no replacement a moment ago and does now is another plan.
      return valid === undefined || valid.replacements.length > found.replacements.length ? undefined : valid;
    },
    validationMs: periods.validationMs,
    ...rules,
  });
}

class DisruptionSweep implements Disruption {
  readonly #context: Context;
  readonly #rules: DisruptionRules;
  readonly #rehousing: Rehousing;
  readonly #consolidator: Consolidator;
  readonly #staticReplacements: StaticReplacements;
  readonly #commands: Commands;
  readonly #activity: PodActivity;

  constructor(context: Context, rehousing: Rehousing, rules: DisruptionRules) {
    this.#context = context;
    this.#rules = rules;
    this.#rehousing = rehousing;
    this.#consolidator = createConsolidator(rehousing, rules.cheaper);
    this.#staticReplacements = createStaticReplacements(context);
    this.#commands = createCommands(context, rules);
    this.#activity = createPodActivity(context);
  }

  involves(claim: NodeClaim): boolean {
    return this.#commands.involves(claim);
  }

  async sweep(): Promise<void> {
    await this.#commands.proceed();
    await this.#replaceDrifted();
    if (await this.#consolidate('multi', (candidates) => this.#consolidator.several(candidates))) return;
    await this.#consolidate('single', (candidates) => this.#consolidator.one(candidates));
  }

  /** All that its budgets let go now. */
  async #replaceDrifted(): Promise<void> {
    const drifted: NodeClaim[] = [];
    for (const claim of this.#context.state.claims.list()) if (await this.#noteDrift(claim)) drifted.push(claim);
    for (const candidate of await this.#candidates(drifted)) {
      if (this.#rules.allowed(nodePoolOf(candidate.claim), 'Drifted') < 1) continue;
      const replacements = isStatic(candidate.pool) ? this.#staticReplacements.of(candidate) : this.#rehousing.without([candidate]);
      if (replacements !== undefined) await this.#start({ reason: 'Drifted', type: '', candidates: [candidate], replacements });
    }
  }

  /** Begins what the budgets still let go: while it was planned others may have been chosen, and some of its own nodes. */
  async #start(command: Command): Promise<boolean> {
    const { candidates, reason } = command;
    if (candidates.some(({ claim }) => this.#context.reservations.has(claim))) return false;
    if (this.#withinBudgets(candidates, reason).length < candidates.length) return false;
    return this.#commands.start(command);
  }

  /** Says in a claim's status that it has drifted. @returns whether it has */
  async #noteDrift(claim: NodeClaim): Promise<boolean> {
    const { state } = this.#context;
    const pool = state.pools.get(nodePoolOf(claim));
    if (pool === undefined || !isTrue(claim.status?.conditions, CONDITION.initialized)) return false;
    const reason = this.#rules.driftOf(claim, pool, state.classes.get(claim.spec.nodeClassRef.name));
    const isNoted = isTrue(claim.status?.conditions, CONDITION.drifted);
    if ((reason !== undefined) !== isNoted) {
      const status = reason === undefined ? 'False' : 'True';
      const condition = { type: CONDITION.drifted, status, reason: reason ?? 'NotDrifted', message: '' } as const;
      await patchConditions(this.#context, claim, [condition]).catch(() => undefined);
    }
    return reason !== undefined;
  }

  async #consolidate(type: 'multi' | 'single', find: (candidates: readonly Candidate[]) => Consolidation | undefined): Promise<boolean> {
    const { clock, signal } = this.#context.runtime;
    const { metrics } = this.#context;
    const startedMs = clock.nowMs();
    const found = find(this.#withinBudgets(await this.#consolidatable()));
    metrics.decisionEvaluation.observe((clock.nowMs() - startedMs) / 1_000, { reason: 'underutilized', consolidation_type: type });
    if (found === undefined) return false;
    await clock.sleep(this.#rules.validationMs, signal);
    const valid = await this.#rules.validate(found, async () => {
      const meant = new Set(found.candidates.map(({ claim }) => uidOf(claim)));
      const left = this.#withinBudgets((await this.#consolidatable()).filter(({ claim }) => meant.has(uidOf(claim))));
      return left.length < meant.size ? undefined : this.#consolidator.all(left);
    });
    if (valid === undefined) {
      metrics.failedValidations.inc({ consolidation_type: type });
      return false;
    }
    return this.#start({ reason: 'Underutilized', type, ...valid });
  }

  /** Nodes of pools that want it, on which nothing has come or gone for long enough; those that cost the least to move first. */
  async #consolidatable(): Promise<readonly Candidate[]> {
    const { state, runtime, periods } = this.#context;
    const nowMs = runtime.clock.nowMs();
    const quiet = state.claims.list().filter((claim) => {
      const pool = state.pools.get(nodePoolOf(claim));
      const { consolidationPolicy, consolidateAfter } = pool?.spec.disruption ?? {};
      if (pool === undefined || isStatic(pool)) return false;
      if (consolidationPolicy !== 'WhenEmptyOrUnderutilized' || consolidateAfter === 'Never') return false;
      const waitMs = consolidateAfter === undefined ? periods.consolidateAfterMs : durationOf(consolidateAfter);
      return nowMs - this.#activity.lastMs(claim.status?.nodeName ?? '') >= waitMs;
    });
    // Those without pods go by themselves.
    const candidates = (await this.#candidates(quiet)).filter(({ pods }) => pods.length > 0);
    return candidates.sort((a, b) => disruptionCost(a) - disruptionCost(b) || (nameOf(a.claim) < nameOf(b.claim) ? -1 : 1));
  }

  async #candidates(claims: readonly NodeClaim[]): Promise<Candidate[]> {
    const free = claims.filter((claim) => !this.#commands.involves(claim) && !this.#commands.isResting(claim));
    return withoutGuarded(this.#context, readCandidates(this.#context, free, this.#rules.veto));
  }

  #withinBudgets(candidates: readonly Candidate[], reason: DisruptionReason = 'Underutilized'): Candidate[] {
    const left = new Map<string, number>();
    return candidates.filter(({ claim }) => {
      const pool = nodePoolOf(claim);
      const allowed = left.get(pool) ?? this.#rules.allowed(pool, reason);
      left.set(pool, allowed - 1);
      return allowed >= 1;
    });
  }
}

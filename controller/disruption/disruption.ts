import { CONDITION, durationOf, isTrue, nameOf, nodePoolOf, uidOf } from '../api.ts';
import type { DisruptionReason, NodeClaim, NodePool } from '../api.ts';
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

/** The part that replaces drifted nodes, and consolidates underused ones. */
export interface Disruption {
  /** One pass over all nodes; takes as long as a consolidation plan has to stay valid. */
  sweep(): Promise<void>;
  /** Whether a claim is a node that is being replaced, or a replacement: then it is not empty. */
  involves(claim: NodeClaim): boolean;
}

/** What decides whether a node may be disrupted. */
export interface DisruptionRules extends CommandRules {
  readonly allowed: Allowed;
  readonly cheaper: Cheaper;
  readonly driftOf: typeof driftOf;
  /** What other pods must have before a drifted node is replaced: their places, or none, since it may be what keeps them from one. */
  readonly othersOfDrifted: 'placed' | 'any';
  /** Whether nodes with pods of this pool may be removed to save costs. */
  readonly mayConsolidate: (pool: NodePool) => boolean;
  /** Validates a plan after its delay: by default the same nodes are planned again, and that must not need more. */
  readonly validate: (found: Consolidation, again: () => Promise<Consolidation | undefined>) => Promise<Consolidation | undefined>;
  /** How long a consolidation plan must stay valid before it is executed. */
  readonly validationMs: number;
}

/**
 * Karpenter's disruption loop: first drifted nodes, each with its replacements; then several nodes at once that one cheaper node,
 * or none, can replace; then single nodes. A replacement is initialized before the old node is drained; if it fails, the old
 * node stays as it was. A consolidation is planned twice, some time apart, and checked once more when no new pod can arrive.
 * Nodes of static pools are replaced when they have drifted, each by one of the same pool, but not consolidated.
 * Source: Karpenter, `pkg/controllers/disruption`, v1.8.
 * @param rules to override the defaults
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
    othersOfDrifted: 'any',
    mayConsolidate: ({ spec: { disruption } }) =>
      disruption?.consolidationPolicy === 'WhenEmptyOrUnderutilized' && disruption.consolidateAfter !== 'Never',
    validate: async (found, again) => {
      const valid = await again();
      // A plan that now needs a replacement, but did not before, is a different plan.
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

  /** All that the budgets allow now. */
  async #replaceDrifted(): Promise<void> {
    const drifted: NodeClaim[] = [];
    for (const claim of this.#context.state.claims.list()) if (await this.#noteDrift(claim)) drifted.push(claim);
    for (const candidate of await this.#candidates(drifted)) {
      if (this.#rules.allowed(nodePoolOf(candidate.claim), 'Drifted') < 1) continue;
      const replacements = isStatic(candidate.pool)
        ? this.#staticReplacements.of(candidate)
        : this.#rehousing.without([candidate], this.#rules.othersOfDrifted);
      if (replacements !== undefined) await this.#start({ reason: 'Drifted', type: '', candidates: [candidate], replacements });
    }
  }

  /** Starts what the budgets still allow: since the plan, other nodes may have been chosen, including its own. */
  async #start(command: Command): Promise<boolean> {
    const { candidates, reason } = command;
    if (candidates.some(({ claim }) => this.#context.reservations.has(claim))) return false;
    if (this.#withinBudgets(candidates, reason).length < candidates.length) return false;
    return this.#commands.start(command);
  }

  /** Records drift in a claim's status. @returns whether it has drifted */
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

  /** Nodes of pools with consolidation, without pod changes for long enough; those that are cheapest to move first. */
  async #consolidatable(): Promise<readonly Candidate[]> {
    const { state, runtime, periods } = this.#context;
    const nowMs = runtime.clock.nowMs();
    const quiet = state.claims.list().filter((claim) => {
      const pool = state.pools.get(nodePoolOf(claim));
      if (pool === undefined || isStatic(pool) || !this.#rules.mayConsolidate(pool)) return false;
      const consolidateAfter = pool.spec.disruption?.consolidateAfter;
      const waitMs = consolidateAfter === undefined ? periods.consolidateAfterMs : durationOf(consolidateAfter);
      return nowMs - this.#activity.lastMs(claim.status?.nodeName ?? '') >= waitMs;
    });
    // Nodes without pods are handled by the emptiness sweep.
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

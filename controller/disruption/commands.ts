import type { Pod } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import { CONDITION, isDeleting, isTrue, nameOf, poolLabelsOf, uidOf } from '../api.ts';
import type { DisruptionReason, NodeClaim } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { DISRUPTION_RETRY_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import { isReschedulable } from '../provisioning/pods.ts';
import { createClaim } from '../provisioning/new-claim.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import type { Candidate, Veto } from './candidates.ts';
import { removeTaint, taint } from './taint.ts';

/** Nodes to disrupt, and the replacements that have to be ready first. */
export interface Command {
  readonly reason: DisruptionReason;
  readonly type: 'single' | 'multi' | '';
  readonly candidates: readonly Candidate[];
  readonly replacements: readonly PlannedNode[];
}

/** Disruptions in progress. */
export interface Commands {
  /**
   * Reserves the nodes at once; then taints them, checks them again, and launches their replacements; nodes without a replacement
   * are deleted immediately. Undoes everything if anything changed since the plan.
   * @returns whether it was started
   */
  start(command: Command): Promise<boolean>;
  /** Deletes nodes whose replacements are ready, and abandons commands whose replacements failed. Failures are logged. */
  proceed(): Promise<void>;
  /** Whether a claim is a node to disrupt, or a replacement. */
  involves(claim: NodeClaim): boolean;
  /** Whether a replacement of the claim's node failed recently. */
  isResting(claim: NodeClaim): boolean;
}

/** The two checks of a command before it continues. */
export interface CommandRules {
  readonly veto: Veto;
  /** Whether pods can move to a replacement. */
  readonly isReady: (replacement: NodeClaim) => boolean;
  /** Whether a node is unchanged since the plan, by the pods that the server lists after it was tainted. */
  readonly isUnchanged: (candidate: Candidate, pods: readonly Pod[]) => boolean;
}

export const COMMAND_RULES: Omit<CommandRules, 'veto'> = {
  isReady: (replacement) => isTrue(replacement.status?.conditions, CONDITION.initialized),
  isUnchanged: (candidate, pods) => {
    const known = new Set(candidate.pods.map(uidOf));
    return pods.filter(isReschedulable).every((pod) => known.has(uidOf(pod)));
  },
};

interface Running {
  readonly command: Command;
  /** Names of the claims that were created. */
  readonly replacements: string[];
}

/** In memory only: after a restart the taints are removed, and unneeded replacements are empty nodes. */
export function createCommands(context: Context, rules: CommandRules): Commands {
  return new TaintingCommands(context, rules);
}

class TaintingCommands implements Commands {
  readonly #context: Context;
  readonly #rules: CommandRules;
  readonly #running = new Set<Running>();
  /** By claim uid: until when it must not be disrupted. */
  readonly #resting = new Map<string, number>();

  constructor(context: Context, rules: CommandRules) {
    this.#context = context;
    this.#rules = rules;
  }

  involves(claim: NodeClaim): boolean {
    return [...this.#running].some(
      ({ command, replacements }) =>
        replacements.includes(nameOf(claim)) || command.candidates.some((candidate) => uidOf(candidate.claim) === uidOf(claim)),
    );
  }

  isResting(claim: NodeClaim): boolean {
    return (this.#resting.get(uidOf(claim)) ?? -Infinity) > this.#context.runtime.clock.monotonicMs();
  }

  async start(command: Command): Promise<boolean> {
    const { runtime, metrics, reservations } = this.#context;
    const running: Running = { command, replacements: [] };
    this.#running.add(running);
    reservations.reserve(claimsOf(running));
    try {
      for (const { node } of command.candidates) await taint(this.#context, node);
      const changed = await this.#findChanged(command);
      if (changed !== undefined) throw new Error(`${nameOf(changed.node)} has changed`);
      reservations.settle(claimsOf(running));
      for (const launch of command.replacements) {
        running.replacements.push(nameOf(await createClaim(this.#context, launch, command.reason.toLowerCase())));
      }
    } catch (error) {
      const nodes = command.candidates.map(({ node }) => nameOf(node)).join(', ');
      logFailure(runtime.log, 'warn', `nothing is disrupted: ${describeError(error)}`, error, { nodes });
      metrics.failedValidations.inc({ consolidation_type: command.type });
      await this.#abandon(running);
      return false;
    }
    const decision = command.replacements.length === 0 ? 'delete' : 'replace';
    metrics.disruptionDecisions.inc({ decision, reason: command.reason.toLowerCase(), consolidation_type: command.type });
    runtime.log('info', `${command.reason}: ${command.candidates.map(({ node }) => nameOf(node)).join(', ')} will be removed`, {
      decision,
    });
    await this.#tryToAdvance(running);
    return true;
  }

  async proceed(): Promise<void> {
    const { clock } = this.#context.runtime;
    for (const [uid, untilMs] of this.#resting) if (untilMs <= clock.monotonicMs()) this.#resting.delete(uid);
    for (const running of [...this.#running]) await this.#tryToAdvance(running);
  }

  /** A command that can't continue now is retried, and must not block the others. */
  async #tryToAdvance(running: Running): Promise<void> {
    const { log, signal } = this.#context.runtime;
    try {
      await this.#advance(running);
    } catch (error) {
      if (signal.aborted) throw error;
      const nodes = running.command.candidates.map(({ node }) => nameOf(node)).join(', ');
      logFailure(log, 'warn', `the disruption can't go on yet: ${describeError(error)}`, error, { nodes });
    }
  }

  async #advance(running: Running): Promise<void> {
    const { state, nominations, runtime } = this.#context;
    const replacements = running.replacements.map((name) => state.claims.get(name));
    const present = replacements.filter((claim) => claim !== undefined && !isDeleting(claim));
    if (this.#staying(running).length === 0) {
      // The nodes were removed by something else: the replacements serve their pods.
      this.#end(running);
    } else if (present.length < replacements.length) {
      runtime.log('warn', 'a replacement failed: its nodes stay', { replacements: running.replacements.join(', ') });
      for (const { claim } of running.command.candidates)
        this.#resting.set(uidOf(claim), runtime.clock.monotonicMs() + DISRUPTION_RETRY_MS);
      await this.#abandon(running);
    } else if (present.every((claim) => claim !== undefined && this.#rules.isReady(claim))) {
      await this.#finish(running);
    } else {
      for (const name of running.replacements) nominations.nominate(name);
    }
  }

  async #finish(running: Running): Promise<void> {
    const { nominations, metrics } = this.#context;
    const { command, replacements } = running;
    // A user may have opted out a pod since the taint.
    if (replacements.length > 0 && (await this.#findChanged(command)) !== undefined) return this.#abandon(running);
    for (const name of replacements) nominations.nominate(name);
    for (const { claim } of this.#staying(running)) {
      await deleteClaim(this.#context, claim, `${command.reason.toLowerCase()}: its pods have been replaced`);
      metrics.nodeClaimsDisrupted.inc({ reason: command.reason.toLowerCase(), ...poolLabelsOf(claim) });
    }
    this.#end(running);
  }

  #end(running: Running): void {
    this.#running.delete(running);
    this.#context.reservations.release(claimsOf(running));
  }

  /** The first node that got new or nominated pods, or that must stay now. Reads from the server. */
  async #findChanged({ candidates }: Command): Promise<Candidate | undefined> {
    const { state, nominations } = this.#context;
    const pods = Map.groupBy(await state.freshPods(), ({ spec }) => spec.nodeName ?? '');
    return candidates.find((candidate) => {
      const { node, claim } = candidate;
      const current = state.nodes.get(nameOf(node)) ?? node;
      const onNode = pods.get(nameOf(node)) ?? [];
      const isPlanned = nominations.has(nameOf(node)) || nominations.has(nameOf(claim));
      return isPlanned || this.#rules.veto(current, onNode) !== undefined || !this.#rules.isUnchanged(candidate, onNode);
    });
  }

  /** Undoes everything. What fails here is repaired by the next sweep for empty nodes, since no command involves the nodes then. */
  async #abandon(running: Running): Promise<void> {
    const { state, runtime, reservations } = this.#context;
    this.#running.delete(running);
    reservations.reserve(claimsOf(running));
    for (const { claim, node } of this.#staying(running)) {
      const [current = node] = state.nodesOf(claim.status?.providerID ?? '');
      await removeTaint(this.#context, current);
    }
    for (const name of running.replacements) {
      const claim = state.claims.get(name);
      if (claim === undefined) continue;
      await deleteClaim(this.#context, claim, 'the nodes that it should replace stay').catch((error: unknown) => {
        logFailure(runtime.log, 'warn', `can't delete a replacement: ${describeError(error)}`, error, { claim: name });
      });
    }
    reservations.release(claimsOf(running));
  }

  #staying({ command }: Running): readonly Candidate[] {
    const { state } = this.#context;
    return command.candidates.filter(({ claim }) => {
      const current = state.claims.get(nameOf(claim));
      return current !== undefined && uidOf(current) === uidOf(claim) && !isDeleting(current);
    });
  }
}

function claimsOf({ command }: Running): NodeClaim[] {
  return command.candidates.map(({ claim }) => claim);
}

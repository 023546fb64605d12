import { selects } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Heal, Instance, NodeProblem, NodeFaultPort } from '../ports.ts';

type NodeFault = Parameters<NodeFaultPort['arm']>[0];
export type Kind = NodeProblem['kind'];

/** A fault striking an instance. */
export interface Strike<K extends Kind> {
  readonly problem: Extract<NodeProblem, { kind: K }>;
  readonly healed: AbortSignal;
  /** Must be called when it takes effect. */
  fired(): void;
}

interface ArmedFault {
  readonly fault: NodeFault;
  readonly struck: Set<string>;
  readonly healing: AbortController;
}

/** The armed faults of nodes. Machines query them at the moment at which one would strike. */
export class NodeFaults implements NodeFaultPort {
  readonly #armed = new Set<ArmedFault>();
  readonly #listeners = new Set<() => void>();

  arm(fault: NodeFault): Heal {
    const armed: ArmedFault = { fault, struck: new Set(), healing: new AbortController() };
    this.#armed.add(armed);
    for (const listener of [...this.#listeners]) listener();
    return () => {
      this.#armed.delete(armed);
      armed.healing.abort(new Error('healed'));
    };
  }

  /** Calls the listener when a fault is armed. @returns a function that removes it */
  onArm(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first fault of a kind that strikes an instance; each fault strikes an instance once. */
  strike<K extends Kind>(kind: K, instance: Instance): Strike<K> | undefined {
    for (const { fault, struck, healing } of this.#armed) {
      const { problem, selector, count = Infinity } = fault;
      if (!isOf(kind, problem) || struck.has(instance.id) || struck.size >= count || !selects(selector, instance)) continue;
      struck.add(instance.id);
      return { problem, healed: healing.signal, fired: () => fault.fired(instance.id) };
    }
    return undefined;
  }
}

function isOf<K extends Kind>(kind: K, problem: NodeProblem): problem is Extract<NodeProblem, { kind: K }> {
  return problem.kind === kind;
}

/** Waits for some time, or until the signal is aborted. Without a time: only for the signal. Rejects when `ending` is aborted. */
export async function waitOut(clock: Clock, delayMs: number | undefined, signal: AbortSignal, ending: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const either = AbortSignal.any([signal, ending]);
  try {
    if (delayMs !== undefined) await clock.sleep(delayMs, either);
    else await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  ending.throwIfAborted();
}

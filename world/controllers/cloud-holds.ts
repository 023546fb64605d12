import type { Node } from '../../model/kube.ts';
import type { CloudControllerName, CloudControllerPort, Heal } from '../ports.ts';

type Hold = Parameters<CloudControllerPort['holdUp']>[0];

interface ArmedHold {
  readonly hold: Hold;
  /** When work was first delayed, in milliseconds since the Unix epoch. Bounded by the nodes of a trial. */
  readonly sinceMs: Map<string, number>;
}

/** Delays the cloud controller manager. Its controllers check it before they act on a node. */
export class CloudHolds implements CloudControllerPort {
  readonly #armed = new Set<ArmedHold>();

  holdUp(hold: Hold): Heal {
    const armed: ArmedHold = { hold, sinceMs: new Map() };
    this.#armed.add(armed);
    return () => {
      this.#armed.delete(armed);
    };
  }

  /** Whether a controller must postpone its work on a node. */
  holds(controller: CloudControllerName, { metadata: { name = '', uid = '' } }: Node, nowMs: number): boolean {
    const work = `${controller} ${uid}`;
    const armed = [...this.#armed].filter(({ hold }) => hold.controllers.includes(controller));
    const held = armed.map(({ hold, sinceMs }) => {
      const fromMs = sinceMs.get(work) ?? nowMs;
      if (!sinceMs.has(work)) {
        sinceMs.set(work, nowMs);
        hold.fired(name);
      }
      return nowMs - fromMs < (hold.delayMs ?? Infinity);
    });
    if (held.includes(true)) return true;
    // This work proceeds now; the next work on this node is delayed again.
    for (const { sinceMs } of armed) sinceMs.delete(work);
    return false;
  }
}

import type { Node } from '../../model/kube.ts';
import type { CloudControllerName, CloudControllerPort, Heal } from '../ports.ts';

type Hold = Parameters<CloudControllerPort['holdUp']>[0];

interface ArmedHold {
  readonly hold: Hold;
  /** Since when work has waited, in milliseconds since the Unix epoch. Bounded by the nodes of a trial. */
  readonly sinceMs: Map<string, number>;
}

/** What holds up the cloud controller manager. Its controllers ask before they act on a node. */
export class CloudHolds implements CloudControllerPort {
  readonly #armed = new Set<ArmedHold>();

  holdUp(hold: Hold): Heal {
    const armed: ArmedHold = { hold, sinceMs: new Map() };
    this.#armed.add(armed);
    return () => {
      this.#armed.delete(armed);
    };
  }

  /** Whether a controller that would act on a node now has to leave it for later. */
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
    // What is done is done: the next work on this node waits anew.
    for (const { sinceMs } of armed) sinceMs.delete(work);
    return false;
  }
}

import { crashPoint, upgradePoint } from '../faults/crash.ts';
import { specify } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import type { Recorder } from '../history/events.ts';
import { defined } from '../model/defined.ts';
import type { World } from '../world/world.ts';
import { armedFault } from './armed-fault.ts';
import { isOfLease } from './crash-points.ts';
import type { CrashSpec } from './crash-points.ts';

/** The crash's id in the history: the numbers of the scenario's own faults stay as without it. */
const FAULT_ID = 'crash-point';

function faultAt({ moment, nth, operation, spans }: CrashSpec): FaultSpec {
  const effect = { nth, operation, span: spans.at(-1) ?? 0 };
  return moment === 'upgrade' ? specify(upgradePoint, effect) : specify(crashPoint, { moment, ...effect });
}

/**
 * Kills or upgrades the target at a crash point, and compares the trial with the one in which the side effects were counted: any
 * difference before the crash makes the trial unknown.
 */
export class CrashWatch {
  /** Records what the world records, and counts the side effects in it. */
  readonly recorder: Recorder;
  readonly #crash: CrashSpec;
  readonly #ofLeases = new Set<number>();
  #effects = 0;
  #isOver = false;
  #disarm: (() => void | Promise<void>) | undefined;

  constructor(crash: CrashSpec, recorder: Recorder) {
    this.#crash = crash;
    this.recorder = {
      record: (event) => {
        const index = recorder.record(event);
        if (event.type === 'request.start' && isOfLease(event.operation)) this.#ofLeases.add(event.span);
        if (event.type === 'request.effect' && event.effect.kind === 'applied' && !this.#ofLeases.has(event.span)) this.#count(event.span);
        return index;
      },
    };
  }

  /**
   * Arms the crash before anything else is armed.
   * @param upgrade called at the point of an upgrade, which has to replace the target and then call `heal`
   */
  async arm(world: Pick<World, 'arm' | 'ports' | 'cluster'>, upgrade: () => void): Promise<void> {
    const fault = faultAt(this.#crash);
    this.recorder.record({ type: 'fault.armed', fault: armedFault(FAULT_ID, fault, 'must-fire') });
    this.#disarm = await fault.inject({
      arm: world.arm,
      ports: world.ports,
      cluster: world.cluster,
      fired: (span) => {
        this.recorder.record({ type: 'fault.fired', fault: FAULT_ID, ...defined({ span }) });
        this.#isOver = true;
        if (this.#crash.moment === 'upgrade') upgrade();
      },
    });
  }

  /** Removes the crash, once, even if it never fired. */
  async heal(): Promise<void> {
    const disarm = this.#disarm;
    if (disarm === undefined) return;
    this.#disarm = undefined;
    await disarm();
    this.recorder.record({ type: 'fault.healed', fault: FAULT_ID });
  }

  /** Each side effect up to the crash must be of the same request as in the counting trial. */
  #count(span: number): void {
    const { spans } = this.#crash;
    if (this.#isOver || this.#effects >= spans.length) return;
    const expected = spans[this.#effects];
    this.#effects += 1;
    if (span === expected) return;
    this.#isOver = true;
    const message = `side effect ${this.#effects} belongs to a different request than in the trial that counted them: the two trials differ before the crash`;
    this.recorder.record({ type: 'harness.error', message });
  }
}

import { selects } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Heal, Instance, InstanceFaultPort } from '../ports.ts';
import type { Instances, StateReason } from './instances.ts';

type Ending = Parameters<InstanceFaultPort['endRunning']>[0];

/** Someone other than the target did it; EC2 does not distinguish. */
const OUT_OF_BAND: StateReason = { code: 'Client.UserInitiatedShutdown', message: 'Client.UserInitiatedShutdown: User initiated shutdown' };

/** Instances that fail by themselves, or are terminated or stopped out of band. */
export class InstanceFaults implements InstanceFaultPort {
  readonly #clock: Clock;
  readonly #instances: Instances;

  constructor(clock: Clock, instances: Instances) {
    this.#clock = clock;
    this.#instances = instances;
  }

  failLaunches(failure: Parameters<InstanceFaultPort['failLaunches']>[0]): Heal {
    return this.#instances.failLaunches(failure);
  }

  delayEndings(delay: Parameters<InstanceFaultPort['delayEndings']>[0]): Heal {
    return this.#instances.delayEndings(delay);
  }

  endRunning({ selector, count, how, afterMs, fired }: Ending): Heal {
    const healed = new AbortController();
    const chosen = new Set<string>();
    const strike = async (id: string): Promise<void> => {
      try {
        await this.#clock.sleep(afterMs, healed.signal);
      } catch {
        return;
      }
      if (this.#instances.get(id)?.state !== 'running') {
        chosen.delete(id);
        return;
      }
      fired();
      if (how === 'stopped') this.#instances.stop(id, OUT_OF_BAND);
      else this.#instances.end(id, OUT_OF_BAND.message);
    };
    const check = (instance: Instance): void => {
      if (instance.state !== 'running' || !selects(selector, instance)) return;
      if (chosen.has(instance.id) || chosen.size >= count) return;
      chosen.add(instance.id);
      void strike(instance.id);
    };
    const stopListening = this.#instances.onChange(check);
    for (const instance of this.#instances.list()) check(instance);
    return () => {
      stopListening();
      healed.abort(new Error('healed'));
    };
  }
}

import { selects } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Heal, Instance, InstancePort, MessagePerturbation, SpotPort } from '../ports.ts';
import { sleepUnlessHealed } from './event-bus.ts';
import type { EventBus, MessageFate } from './event-bus.ts';

/** Source: `StateReason` in the EC2 API reference for the code. */
const TERMINATION = 'Server.SpotInstanceTermination: Spot instance termination';

type Interruption = Parameters<SpotPort['interrupt']>[0];

/** Reclaims spot instances as EC2 does: optionally a recommendation, then a warning, and termination after the notice. */
export class SpotInterruptions implements SpotPort {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #instances: InstancePort;
  readonly #bus: EventBus;
  /** Instances that are being reclaimed: none twice. */
  readonly #taken = new Set<string>();
  #interruptions = 0;

  constructor(parts: { clock: Clock; random: Random; instances: InstancePort; bus: EventBus }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#instances = parts.instances;
    this.#bus = parts.bus;
  }

  interrupt(interruption: Interruption): Heal {
    const { selector, count = Number.POSITIVE_INFINITY, moment } = interruption;
    this.#interruptions += 1;
    const random = this.#random.fork(`interruption ${this.#interruptions}`);
    const state = moment === 'pending' ? 'pending' : 'running';
    const healed = new AbortController();
    let left = count;
    const interruptIfSelected = (instance: Instance): void => {
      const isSelected = instance.state === state && instance.capacityType === 'spot' && selects(selector, instance);
      if (!isSelected || left <= 0 || this.#taken.has(instance.id)) return;
      left -= 1;
      this.#taken.add(instance.id);
      interruption.fired(instance.id);
      void this.#take(instance, interruption, healed.signal);
    };
    if (moment !== 'before-registration') for (const instance of random.shuffle(this.#instances.list())) interruptIfSelected(instance);
    const unsubscribe = moment === 'running' ? () => undefined : this.#instances.onChange(interruptIfSelected);
    return () => {
      unsubscribe();
      healed.abort(new Error('healed'));
    };
  }

  async #take(instance: Instance, { noticeMs, rebalanceBeforeMs, message }: Interruption, healed: AbortSignal): Promise<void> {
    const fate = (what: MessagePerturbation | undefined): MessageFate[] => (what === undefined ? [] : [{ what, healed }]);
    if (rebalanceBeforeMs !== undefined) {
      this.#bus.recommendRebalance(instance, fate(message?.kind === 'duplicate' ? message : undefined));
      if (rebalanceBeforeMs > 0) await sleepUnlessHealed(this.#clock, rebalanceBeforeMs, healed);
      if (healed.aborted) this.#taken.delete(instance.id);
      if (healed.aborted || !this.#isAlive(instance.id)) return;
    }
    this.#bus.warn(instance, noticeMs, fate(message));
    await this.#clock.sleep(noticeMs);
    if (this.#isAlive(instance.id)) this.#instances.end(instance.id, TERMINATION);
  }

  #isAlive(id: string): boolean {
    const state = this.#instances.get(id)?.state;
    return state === 'pending' || state === 'running';
  }
}

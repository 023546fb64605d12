import type { CapacityType, InstanceType, Offering } from '../../model/catalogue.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { ArmedLimit, Capacity, Lease } from './capacity.ts';
import type { Subnet } from './network.ts';
import type { Quotas } from './quotas.ts';
import type { QuotaShortage } from './quota-shortage.ts';

/** Where one instance would be launched. */
export interface Place {
  readonly type: InstanceType;
  readonly subnet: Subnet;
  readonly capacityType: CapacityType;
}

/** Why there is no room for an instance. */
export type Shortage =
  | { readonly kind: 'capacity'; readonly limits: readonly ArmedLimit[] }
  /** The account or the subnet does not allow it, or a fault refuses just this offering. */
  | ({ readonly kind: 'quota' | 'addresses' | 'refused' } & QuotaShortage);

/** Everything that must have room for an instance: the account's quotas, the subnet's addresses, and the pool's capacity. */
export class Room {
  readonly #capacity: Capacity;
  readonly #quotas: Quotas;

  constructor(capacity: Capacity, quotas: Quotas) {
    this.#capacity = capacity;
    this.#quotas = quotas;
  }

  /**
   * Takes room for one instance. The address itself is taken when the instance is launched.
   * @param addressesSpokenFor in its subnet, reserved by instances that have room but are not launched yet
   */
  take(place: Place, addressesSpokenFor: number): Lease | Shortage {
    const { type, subnet, capacityType } = place;
    const offering = offeringAt(place);
    const refusing = this.#capacity.refusingOf(offering);
    if (refusing !== undefined) {
      const { code, message } = refusing.refusal;
      return { kind: 'refused', refusal: new Ec2Refusal(code, message), fired: [refusing.fired] };
    }
    const quota = this.#quotas.take(type, capacityType);
    if ('refusal' in quota) return { kind: 'quota', ...quota };
    const address = this.#quotas.addresses.shortage(subnet.id, addressesSpokenFor);
    if (address !== undefined) {
      quota.undo();
      return { kind: 'addresses', ...address };
    }
    const capacity = this.#capacity.take(offering);
    if (capacity === undefined) {
      quota.undo();
      return { kind: 'capacity', limits: this.#capacity.limitsOn(offering) };
    }
    return {
      release: () => {
        quota.release();
        capacity.release();
      },
      undo: () => {
        quota.undo();
        capacity.undo();
      },
    };
  }
}

/** The offering of a place. */
export function offeringAt({ type, subnet, capacityType }: Place): Offering {
  return { instanceType: type.type, zone: subnet.zone, capacityType };
}

/** Reports each fault that left no room as fired, once per request. @param span undefined if no request is behind the launch */
export function reportFired(shortages: readonly Shortage[], span?: number): void {
  const fired = shortages.flatMap((one) => (one.kind === 'capacity' ? one.limits.map(({ limit }) => limit.fired) : one.fired));
  for (const tell of new Set(fired)) tell(span);
}

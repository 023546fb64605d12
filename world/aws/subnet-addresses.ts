import type { Heal, Instance, QuotaPort } from '../ports.ts';
import type { InstanceStore } from './instance-store.ts';
import { addressesExhausted } from './network.ts';
import type { Subnet } from './network.ts';
import type { QuotaShortage } from './quota-shortage.ts';

type AddressLimit = Parameters<QuotaPort['limitAddresses']>[0];

interface ArmedLimit {
  readonly limit: AddressLimit;
  /** Addresses that others hold, by subnet. */
  readonly held: ReadonlyMap<string, number>;
}

/** The free addresses of subnets, and which instance had each address last. */
export class SubnetAddresses {
  readonly #subnets: readonly Subnet[];
  readonly #store: Pick<InstanceStore, 'freeAddresses' | 'holdAddresses'>;
  readonly #limits = new Set<ArmedLimit>();
  /** The instance that last had an address. */
  readonly #owners = new Map<string, string>();

  constructor(subnets: readonly Subnet[], store: Pick<InstanceStore, 'freeAddresses' | 'holdAddresses'>) {
    this.#subnets = subnets;
    this.#store = store;
  }

  limit(limit: AddressLimit): Heal {
    const held = new Map<string, number>();
    const releases: (() => void)[] = [];
    for (const { id } of this.#subnets.filter(({ zone }) => limit.zones?.includes(zone) ?? true)) {
      const count = Math.max(this.free(id) - limit.remaining, 0);
      held.set(id, count);
      releases.push(this.#store.holdAddresses(id, count));
    }
    const armed: ArmedLimit = { limit, held };
    this.#limits.add(armed);
    return () => {
      this.#limits.delete(armed);
      for (const release of releases) release();
    };
  }

  /** Addresses still available in a subnet. */
  free(subnetId: string): number {
    return this.#store.freeAddresses(subnetId);
  }

  /** Why a subnet has no address beyond the reserved ones; undefined if it has. */
  shortage(subnetId: string, spokenFor: number): QuotaShortage | undefined {
    const free = this.free(subnetId);
    if (free > spokenFor) return undefined;
    const limits = [...this.#limits].filter(({ held }) => held.has(subnetId));
    const held = limits.reduce((sum, one) => sum + (one.held.get(subnetId) ?? 0), 0);
    const isFull = free + held <= spokenFor;
    return { refusal: addressesExhausted(subnetId), fired: isFull ? [] : limits.map(({ limit }) => limit.fired) };
  }

  /** Called for each change of an instance: limits learn when an instance gets the address of an earlier one. */
  observe({ id, privateIp, zone }: Instance): void {
    const before = this.#owners.get(privateIp);
    this.#owners.set(privateIp, id);
    if (before === undefined || before === id) return;
    for (const { limit } of this.#limits) if (limit.zones?.includes(zone) ?? true) limit.reused?.(id, before);
  }
}

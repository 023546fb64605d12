import type { Random } from '../../runtime/random.ts';
import { drawId } from './ids.ts';
import type { InstanceStore, Machine, MachineSpec } from './instance-store.ts';
import { AddressPool } from './network.ts';
import type { Subnet } from './network.ts';

/** Machines that are nothing but an id (from the seed) and an address. */
export class MemoryStore implements InstanceStore {
  readonly #random: Random;
  readonly #addresses: ReadonlyMap<string, AddressPool>;
  readonly #machines = new Map<string, { readonly subnetId: string; readonly privateIp: string }>();

  constructor(random: Random, subnets: readonly Subnet[]) {
    this.#random = random;
    this.#addresses = new Map(subnets.map((subnet) => [subnet.id, new AddressPool(subnet, random.fork(subnet.id))]));
  }

  launch({ subnetId }: MachineSpec): Promise<Machine> {
    return new Promise((resolve) => {
      const privateIp = this.#poolOf(subnetId).take();
      const id = drawId(this.#random, 'i');
      this.#machines.set(id, { subnetId, privateIp });
      resolve({ id, privateIp });
    });
  }

  terminate(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine !== undefined) {
      this.#machines.delete(id);
      this.#poolOf(machine.subnetId).release(machine.privateIp);
    }
    return Promise.resolve();
  }

  freeAddresses(subnetId: string): number {
    return this.#poolOf(subnetId).free;
  }

  holdAddresses(subnetId: string, count: number): () => void {
    return this.#poolOf(subnetId).hold(count);
  }

  #poolOf(subnetId: string): AddressPool {
    const pool = this.#addresses.get(subnetId);
    if (pool === undefined) throw new RangeError(`unknown subnet ${subnetId}`);
    return pool;
  }
}

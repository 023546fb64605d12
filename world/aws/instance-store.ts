import type { CapacityType } from '../../model/catalogue.ts';

/** What a machine is made of. */
export interface MachineSpec {
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly capacityType: CapacityType;
  readonly tags: Readonly<Record<string, string>>;
  readonly userData: string;
}

/** A machine as its store knows it. */
export interface Machine {
  /** e.g. `i-0123456789abcdef0` */
  readonly id: string;
  readonly privateIp: string;
}

/**
 * Where instances live: in memory, or in another emulator. The EC2 front decides what is launched and when, and keeps
 * states, tags and everything else that requests see; the store gives each machine its id and address.
 */
export interface InstanceStore {
  /** Starts a machine. Rejects with an Ec2Refusal when it can't, e.g. because the subnet is full. */
  launch(spec: MachineSpec): Promise<Machine>;
  /** Ends a machine: its address is free again. */
  terminate(id: string): Promise<void>;
  /** Addresses left in a subnet. @throws RangeError for a subnet that is not the store's */
  freeAddresses(subnetId: string): number;
  /**
   * Lets others have so many of the addresses that are left, those that were never in use first, so that what is left was in
   * use where there is enough of it.
   * @returns what gives them back
   * @throws RangeError for a subnet that is not the store's
   */
  holdAddresses(subnetId: string, count: number): () => void;
}

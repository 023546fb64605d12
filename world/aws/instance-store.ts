import type { CapacityType } from '../../model/catalogue.ts';

/** The specification of a machine. */
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
 * Where instances run: in memory, or in another emulator. The EC2 front decides what is launched and when, and keeps states,
 * tags and everything else that requests see; the store gives each machine its id and address.
 */
export interface InstanceStore {
  /** Starts a machine. Rejects with an Ec2Refusal if it can't, e.g. because the subnet is full. */
  launch(spec: MachineSpec): Promise<Machine>;
  /** Terminates a machine: its address is free again. */
  terminate(id: string): Promise<void>;
  /** Addresses left in a subnet. @throws RangeError for a subnet that is not the store's */
  freeAddresses(subnetId: string): number;
  /**
   * Gives this many of the free addresses to others, never-used ones first, so that, if there are enough, all addresses left
   * have been in use before.
   * @returns a function that releases them
   * @throws RangeError for a subnet that is not the store's
   */
  holdAddresses(subnetId: string, count: number): () => void;
}

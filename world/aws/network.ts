import type { ClusterConfig } from '../../model/cluster.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Random } from '../../runtime/random.ts';

/** One subnet a zone, each a /20 of 10.0.0.0/16: 4,091 addresses, since EC2 reserves the first four and the last. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  /** Index of the zone among the cluster's, from 0. */
  readonly index: number;
}

/** The cluster's network. */
export interface Network {
  readonly vpcId: string;
  /** In the order of their zones. */
  readonly subnets: readonly Subnet[];
}

/** The range of the VPC, in which the subnets are. */
export const VPC_CIDR = '10.0.0.0/16';
const PREFIX_LENGTH = 20;
const SUBNET_SIZE = 2 ** (32 - PREFIX_LENGTH);
const SUBNETS_MAX = 2 ** (PREFIX_LENGTH - 16);
const FIRST_HOST = 4;
const LAST_HOST = SUBNET_SIZE - 2;

/** The cluster's subnets, in the order of their zones. @throws Error when there are more than 10.0.0.0/16 holds */
export function subnetsOf(cluster: ClusterConfig): readonly Subnet[] {
  const zones = Object.keys(cluster.subnets).sort();
  if (zones.length > SUBNETS_MAX) throw new Error(`the cluster has ${zones.length} zones; at most ${SUBNETS_MAX} can have a subnet`);
  return zones.map((zone, index) => ({
    id: cluster.subnets[zone] ?? '',
    zone,
    cidr: `${formatAddress(index, 0)}/${PREFIX_LENGTH}`,
    index,
  }));
}

/**
 * How often a new instance gets an address that was in use before, if there is one. EC2 does not document how it chooses; in
 * small subnets addresses are reused within minutes.
 */
const REUSE_CHANCE = 0.75;

/** The private addresses of one subnet: next in order, or by chance a reused one, the longest free first. */
export class AddressPool {
  readonly #subnet: Subnet;
  readonly #random: Random;
  /** Used before, in the order in which they were released. */
  readonly #returned: number[] = [];
  /** From here on, none was ever in use. */
  #unused = FIRST_HOST;
  /** Up to here, none is held by others. */
  #last = LAST_HOST;

  constructor(subnet: Subnet, random: Random) {
    this.#subnet = subnet;
    this.#random = random;
  }

  get free(): number {
    return this.#last - this.#unused + 1 + this.#returned.length;
  }

  /** @throws Ec2Refusal when the subnet is full */
  take(): string {
    if (this.free <= 0) throw addressesExhausted(this.#subnet.id);
    const isFresh = this.#unused <= this.#last && (this.#returned.length === 0 || !this.#random.chance(REUSE_CHANCE));
    const host = isFresh ? this.#unused++ : (this.#returned.shift() ?? FIRST_HOST);
    return formatAddress(this.#subnet.index, host);
  }

  /** Gives this many addresses to others, never-used ones first, then the longest free. @returns a function that releases them */
  hold(count: number): () => void {
    const fresh = Math.min(count, this.#last - this.#unused + 1);
    const used = this.#returned.splice(0, count - fresh);
    this.#last -= fresh;
    return () => {
      this.#last += fresh;
      this.#returned.unshift(...used);
    };
  }

  release(address: string): void {
    const [, , third = 0, fourth = 0] = address.split('.').map(Number);
    this.#returned.push((third % (SUBNET_SIZE / 256)) * 256 + fourth);
  }
}

export function addressesExhausted(subnetId: string): Ec2Refusal {
  return new Ec2Refusal(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnetId}' to satisfy the requested number of instances.`,
  );
}

/** The last address that an instance of a subnet can get. */
export function lastAddressOf({ index }: Subnet): string {
  return formatAddress(index, LAST_HOST);
}

function formatAddress(subnetIndex: number, host: number): string {
  const offset = subnetIndex * SUBNET_SIZE + host;
  return `10.0.${Math.floor(offset / 256)}.${offset % 256}`;
}

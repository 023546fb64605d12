import type { ClusterConfig } from '../../model/cluster.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';

/** One subnet a zone, each a /20 of 10.0.0.0/16: 4,091 addresses, since EC2 keeps the first four and the last. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  /** Number of the zone among the cluster's, from 0. */
  readonly index: number;
}

/** The cluster's network. */
export interface Network {
  readonly vpcId: string;
  /** In the order of their zones. */
  readonly subnets: readonly Subnet[];
}

const PREFIX_LENGTH = 20;
const SUBNET_SIZE = 2 ** (32 - PREFIX_LENGTH);
const SUBNETS_MAX = 2 ** (PREFIX_LENGTH - 16);
const FIRST_HOST = 4;
const LAST_HOST = SUBNET_SIZE - 2;

/** The cluster's subnets, in the order of their zones. @throws Error when there are more than 10.0.0.0/16 holds */
export function subnetsOf(cluster: ClusterConfig): readonly Subnet[] {
  const zones = Object.keys(cluster.subnets).sort();
  if (zones.length > SUBNETS_MAX) throw new Error(`at most ${SUBNETS_MAX} zones have subnets`);
  return zones.map((zone, index) => ({
    id: cluster.subnets[zone] ?? '',
    zone,
    cidr: `${formatAddress(index, 0)}/${PREFIX_LENGTH}`,
    index,
  }));
}

/** The private addresses of one subnet. The lowest free one is given first, so that addresses are soon used again. */
export class AddressPool {
  readonly #subnet: Subnet;
  readonly #used = new Set<number>();
  /** No address below is free. */
  #lowest = FIRST_HOST;

  constructor(subnet: Subnet) {
    this.#subnet = subnet;
  }

  get free(): number {
    return LAST_HOST - FIRST_HOST + 1 - this.#used.size;
  }

  /** @throws Ec2Refusal when the subnet is full */
  take(): string {
    if (this.free <= 0) throw addressesExhausted(this.#subnet.id);
    while (this.#used.has(this.#lowest)) this.#lowest += 1;
    this.#used.add(this.#lowest);
    return formatAddress(this.#subnet.index, this.#lowest);
  }

  giveBack(address: string): void {
    const [, , third = 0, fourth = 0] = address.split('.').map(Number);
    const host = (third % (SUBNET_SIZE / 256)) * 256 + fourth;
    this.#used.delete(host);
    this.#lowest = Math.min(this.#lowest, host);
  }
}

export function addressesExhausted(subnetId: string): Ec2Refusal {
  return new Ec2Refusal(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnetId}' to satisfy the requested number of instances.`,
  );
}

function formatAddress(subnetIndex: number, host: number): string {
  const offset = subnetIndex * SUBNET_SIZE + host;
  return `10.0.${Math.floor(offset / 256)}.${offset % 256}`;
}

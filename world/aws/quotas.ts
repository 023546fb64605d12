import type { CapacityType, InstanceType } from '../../model/catalogue.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Heal, QuotaGroup, QuotaPort } from '../ports.ts';
import type { Lease } from './capacity.ts';
import type { QuotaShortage } from './quota-shortage.ts';
import type { SubnetAddresses } from './subnet-addresses.ts';

/**
 * vCPUs that an account may run in each group, the same for on-demand and spot. A new account has 0 to 5, and large ones what
 * they requested: here it is more than any scenario needs, and a fault lowers it. Quota codes of the groups, on-demand and
 * spot: standard (A, C, D, H, I, M, R, T, Z) L-1216C47A and L-34B43A08, G and VT L-DB2E81BA and L-3819A6DF, P L-417A185B and
 * L-7212CCBC. Source: "Amazon EC2 On-Demand Instance quotas", "Spot Instance quotas".
 */
const VCPU_QUOTA = 1_000_000;

const GROUP_OF_FAMILY: Readonly<Record<string, QuotaGroup>> = {
  dl: 'dl',
  f: 'f',
  g: 'g-vt',
  gr: 'g-vt',
  vt: 'g-vt',
  u: 'high-memory',
  hpc: 'hpc',
  inf: 'inf',
  p: 'p',
  trn: 'trn',
  x: 'x',
};

/** The group whose quota a type counts against: by the letters of its family. */
export function quotaGroupOf(instanceType: string): QuotaGroup {
  const letters = /^[a-z]+/.exec(instanceType)?.[0] ?? '';
  return GROUP_OF_FAMILY[letters] ?? 'standard';
}

type VcpuLimit = Parameters<QuotaPort['limitVcpus']>[0];
type InstanceLimit = Parameters<QuotaPort['limitInstances']>[0];
type LaunchLimit = Parameters<QuotaPort['limitLaunches']>[0];

/** The account's vCPU and instance quotas, and the free addresses of its subnets. */
export class Quotas implements QuotaPort {
  readonly addresses: SubnetAddresses;
  readonly #vcpus = new Map<string, number>();
  readonly #instances = new Map<string, number>();
  readonly #vcpuLimits = new Set<VcpuLimit>();
  readonly #instanceLimits = new Set<InstanceLimit>();
  readonly #launchLimits = new Set<LaunchLimit & { left: number }>();

  constructor(addresses: SubnetAddresses) {
    this.addresses = addresses;
  }

  limitVcpus(limit: VcpuLimit): Heal {
    return addTo(this.#vcpuLimits, { ...limit });
  }

  limitInstances(limit: InstanceLimit): Heal {
    return addTo(this.#instanceLimits, { ...limit });
  }

  limitLaunches(limit: LaunchLimit): Heal {
    return addTo(this.#launchLimits, { ...limit, left: limit.count });
  }

  limitAddresses(limit: Parameters<QuotaPort['limitAddresses']>[0]): Heal {
    return this.addresses.limit(limit);
  }

  /** Counts one more running instance, or returns why there can't be one. */
  take(type: InstanceType, capacityType: CapacityType): Lease | QuotaShortage {
    const group = quotaGroupOf(type.type);
    const bucket = `${capacityType}/${group}`;
    const used = this.#vcpus.get(bucket) ?? 0;
    const limits = [...this.#vcpuLimits].filter(
      (limit) => (limit.capacityTypes?.includes(capacityType) ?? true) && (limit.groups?.includes(group) ?? true),
    );
    const quota = Math.min(VCPU_QUOTA, ...limits.map(({ vcpus }) => vcpus));
    if (used + type.vcpu > quota) {
      const full = limits.filter(({ vcpus }) => used + type.vcpu > vcpus);
      return { refusal: vcpuLimitExceeded(capacityType, quota), fired: full.map(({ fired }) => fired) };
    }
    const running = this.#instances.get(type.type) ?? 0;
    const counts = [...this.#instanceLimits].filter(
      ({ instanceTypes, count }) => capacityType === 'on-demand' && (instanceTypes?.includes(type.type) ?? true) && running >= count,
    );
    if (counts.length > 0) {
      const most = Math.min(...counts.map(({ count }) => count));
      return { refusal: instanceLimitExceeded(running + 1, most), fired: counts.map(({ fired }) => fired) };
    }
    const spent = [...this.#launchLimits].filter(({ left }) => left <= 0);
    if (spent.length > 0) {
      const most = Math.min(...spent.map(({ count: most }) => most));
      return { refusal: instanceLimitExceeded(most + 1, most), fired: spent.map(({ fired }) => fired) };
    }
    const isOnDemand = capacityType === 'on-demand';
    const count = (sign: 1 | -1): void => {
      this.#vcpus.set(bucket, (this.#vcpus.get(bucket) ?? 0) + sign * type.vcpu);
      if (isOnDemand) this.#instances.set(type.type, (this.#instances.get(type.type) ?? 0) + sign);
    };
    const launch = (sign: 1 | -1): void => {
      for (const limit of this.#launchLimits) limit.left -= sign;
    };
    count(1);
    launch(1);
    // A terminated instance was still launched.
    const undo = (): void => {
      count(-1);
      launch(-1);
    };
    return { release: () => count(-1), undo };
  }
}

function addTo<T>(set: Set<T>, item: T): Heal {
  set.add(item);
  return () => void set.delete(item);
}

const ADJUSTMENT = 'Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.';

/** Messages as quoted in firesim/firesim#410 (on-demand) and vrivellino/spoptimize#15 (spot). */
function vcpuLimitExceeded(capacityType: CapacityType, quota: number): Ec2Refusal {
  if (capacityType === 'spot') return new Ec2Refusal('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded');
  return new Ec2Refusal(
    'VcpuLimitExceeded',
    `You have requested more vCPU capacity than your current vCPU limit of ${quota} allows for the instance bucket that the specified instance type belongs to. ${ADJUSTMENT}`,
  );
}

function instanceLimitExceeded(asked: number, most: number): Ec2Refusal {
  return new Ec2Refusal(
    'InstanceLimitExceeded',
    `You have requested more instances (${asked}) than your current instance limit of ${most} allows for the specified instance type. ${ADJUSTMENT}`,
  );
}

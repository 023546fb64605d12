import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Heal, ThrottlePort } from '../ports.ts';

/** Tokens in a full bucket, and tokens added per second. */
interface BucketSize {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

type Input = Readonly<Record<string, unknown>>;

/** Source of all sizes: "Request throttling for the Amazon EC2 API". Each operation has its own buckets. */
const READING: BucketSize = { capacity: 100, refillPerSecond: 20 };
const READING_EVERYTHING: BucketSize = { capacity: 50, refillPerSecond: 10 };
const CHANGING: BucketSize = { capacity: 50, refillPerSecond: 5 };
const LISTED: Readonly<Record<string, BucketSize>> = {
  RunInstances: { capacity: 5, refillPerSecond: 2 },
  StartInstances: { capacity: 5, refillPerSecond: 2 },
  TerminateInstances: { capacity: 100, refillPerSecond: 5 },
  CreateTags: { capacity: 100, refillPerSecond: 10 },
  DeleteTags: { capacity: 100, refillPerSecond: 10 },
  CreateLaunchTemplateVersion: { capacity: 100, refillPerSecond: 5 },
  ModifyLaunchTemplate: { capacity: 100, refillPerSecond: 5 },
};
/** These have the smaller bucket for requests without a filter or pagination. */
const MANY: ReadonlySet<string> = new Set([
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSpotInstanceRequests',
  'DescribeVolumes',
]);
/** Additional tokens, one per instance. */
const RESOURCES: Readonly<Record<string, BucketSize>> = {
  RunInstances: { capacity: 1_000, refillPerSecond: 2 },
  StartInstances: { capacity: 1_000, refillPerSecond: 2 },
  TerminateInstances: { capacity: 1_000, refillPerSecond: 20 },
  StopInstances: { capacity: 1_000, refillPerSecond: 20 },
};
const READS = /^(Describe|Get)/;

/** A bucket, with its fill level at a moment. */
class TokenBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #sinceMs: number;

  constructor(size: BucketSize & { readonly tokens?: number }, nowMs: number) {
    this.#size = size;
    this.#tokens = size.tokens ?? size.capacity;
    this.#sinceMs = nowMs;
  }

  has(tokens: number, nowMs: number): boolean {
    const { capacity, refillPerSecond } = this.#size;
    this.#tokens = Math.min(capacity, this.#tokens + ((nowMs - this.#sinceMs) * refillPerSecond) / 1_000);
    this.#sinceMs = nowMs;
    // Fractions add up to slightly too little because of rounding.
    return this.#tokens >= tokens - 1e-9;
  }

  take(tokens: number): void {
    this.#tokens -= tokens;
  }
}

interface Limit {
  readonly spec: Parameters<ThrottlePort['limit']>[0];
  readonly buckets: Map<string, TokenBucket>;
}

/** A bucket that a request draws from, and a callback for when it is empty. */
interface Draw {
  readonly bucket: TokenBucket;
  readonly tokens: number;
  readonly fired?: (span: number) => void;
}

/**
 * The token buckets that EC2 keeps for each account and region, on the world's clock. A dry run takes tokens too; a
 * refused request takes none. Ids alone do not count as a filter (the documentation speaks of pagination and filters only).
 */
export class RequestBuckets implements ThrottlePort {
  readonly #clock: Clock;
  readonly #service: string;
  readonly #fleetsTakeResources: boolean;
  readonly #unlimited: boolean;
  /** By operation and kind. Bounded by the table of operations. */
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #limits = new Set<Limit>();

  /**
   * @param options.service as in IAM
   * @param options.fleetsTakeResources whether CreateFleet uses RunInstances' resource tokens, which is not documented
   * @param options.unlimited leaves out EC2's own buckets: only faults limit requests
   */
  constructor(
    clock: Clock,
    options: { readonly service: 'ec2' | 'autoscaling'; readonly fleetsTakeResources: boolean; readonly unlimited: boolean },
  ) {
    this.#clock = clock;
    this.#service = options.service;
    this.#fleetsTakeResources = options.fleetsTakeResources;
    this.#unlimited = options.unlimited;
  }

  limit(spec: Limit['spec']): Heal {
    const limit: Limit = { spec, buckets: new Map() };
    this.#limits.add(limit);
    return () => void this.#limits.delete(limit);
  }

  /** Takes the tokens for one request. @throws Ec2Refusal RequestLimitExceeded when a bucket has too few */
  take(action: string, input: Input, span: number): void {
    const nowMs = this.#clock.nowMs();
    const draws = this.#drawsOf(action, input, nowMs);
    const empty = draws.filter(({ bucket, tokens }) => !bucket.has(tokens, nowMs));
    if (empty.length > 0) {
      // If a documented bucket is empty too, the fault made no difference.
      if (empty.every(({ fired }) => fired !== undefined)) for (const { fired } of empty) fired?.(span);
      throw requestLimitExceeded();
    }
    for (const { bucket, tokens } of draws) bucket.take(tokens);
  }

  #drawsOf(action: string, input: Input, nowMs: number): Draw[] {
    const limits = [...this.#limits].filter(
      ({ spec }) => spec.operations.includes('*') || spec.operations.includes(`${this.#service}:${action}`),
    );
    const ofFaults = limits.map(({ spec, buckets }) => ({ bucket: bucketIn(buckets, action, spec, nowMs), tokens: 1, fired: spec.fired }));
    if (this.#unlimited) return ofFaults;
    const isAll = MANY.has(action) && !isNarrowed(input);
    const size = LISTED[action] ?? (!READS.test(action) ? CHANGING : isAll ? READING_EVERYTHING : READING);
    const requests = bucketIn(this.#buckets, isAll ? `${action} of everything` : action, size, nowMs);
    const spender = action === 'CreateFleet' && this.#fleetsTakeResources ? 'RunInstances' : action;
    const resources = RESOURCES[spender];
    const instances = resources === undefined ? 0 : instancesOf(action, input);
    return [
      { bucket: requests, tokens: 1 },
      ...(resources === undefined
        ? []
        : [{ bucket: bucketIn(this.#buckets, `resources of ${spender}`, resources, nowMs), tokens: instances }]),
      ...ofFaults,
    ];
  }
}

function bucketIn(
  buckets: Map<string, TokenBucket>,
  name: string,
  size: ConstructorParameters<typeof TokenBucket>[0],
  nowMs: number,
): TokenBucket {
  let bucket = buckets.get(name);
  if (bucket === undefined) {
    bucket = new TokenBucket(size, nowMs);
    buckets.set(name, bucket);
  }
  return bucket;
}

function isNarrowed({ Filters: filters, MaxResults: pageLength }: Input): boolean {
  return pageLength !== undefined || (Array.isArray(filters) && filters.length > 0);
}

/** The number of instances that a request is about. */
function instancesOf(action: string, input: Input): number {
  if (action === 'CreateFleet') {
    return Number((input['TargetCapacitySpecification'] as Input | undefined)?.['TotalTargetCapacity'] ?? 1);
  }
  const { MaxCount: count, InstanceIds: ids } = input;
  return Array.isArray(ids) ? ids.length : Number(count ?? 1);
}

/** EC2's own words: status 503, "Request limit exceeded." */
export function requestLimitExceeded(): Ec2Refusal {
  return new Ec2Refusal('RequestLimitExceeded', 'Request limit exceeded.', 503);
}

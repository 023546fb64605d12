/** `--node-eviction-rate`: how many nodes of a zone get a NoExecute taint per second. */
const EVICTION_RATE = 0.1;
/** `--secondary-node-eviction-rate`: the same in a large zone that is partly disrupted. */
const SECONDARY_EVICTION_RATE = 0.01;
/** `--unhealthy-zone-threshold`: a zone is partly disrupted if at least this share of its nodes, and at least 3, are not Ready. */
const UNHEALTHY_ZONE_THRESHOLD = 0.55;
const MIN_UNHEALTHY_NODES = 3;
/** `--large-cluster-size-threshold`: a partly disrupted zone with at most this many nodes gets no taints at all. */
const LARGE_ZONE_NODES = 50;

export type ZoneState = 'initial' | 'normal' | 'partial' | 'full';

/** How many nodes of a zone are Ready, and how many aren't. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** `ComputeZoneState` of `k8s.io/kubernetes/pkg/controller/nodelifecycle`. */
export function zoneState({ ready, notReady }: ZoneCount): ZoneState {
  if (ready === 0 && notReady > 0) return 'full';
  const partial = notReady >= MIN_UNHEALTHY_NODES && notReady / (notReady + ready) >= UNHEALTHY_ZONE_THRESHOLD;
  return partial ? 'partial' : 'normal';
}

/** A bucket of one token, like client-go's token bucket rate limiter with a burst of 1. */
export class OneTokenBucket {
  #perSecond: number;
  #tokens = 1;
  #atMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#atMs = nowMs;
  }

  tryTake(nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#perSecond === 0 || this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until there is a token; undefined for never. */
  waitMs(nowMs: number): number | undefined {
    this.#fill(nowMs);
    return this.#perSecond === 0 ? undefined : Math.ceil((Math.max(0, 1 - this.#tokens) * 1000) / this.#perSecond);
  }

  /** A new rate fills the bucket, unless it was empty or closed before. */
  setRate(perSecond: number, nowMs: number): void {
    if (perSecond === this.#perSecond) return;
    this.#tokens = this.tryTake(nowMs) ? 1 : 0;
    this.#perSecond = perSecond;
  }

  #fill(nowMs: number): void {
    this.#tokens = Math.min(1, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = nowMs;
  }
}

/** How an update changed the disruption of the cluster. */
export type Disruption = 'entered' | 'left' | 'unchanged';

/**
 * The states of all zones, and how fast nodes of each may get NoExecute taints (`handleDisruption`). While no node of any
 * zone is Ready, the control plane is more likely at fault than all nodes: nothing is evicted.
 */
export class ZoneDisruption {
  readonly #states = new Map<string, ZoneState>();
  readonly #buckets = new Map<string, OneTokenBucket>();

  bucketOf(zone: string, nowMs: number): OneTokenBucket {
    let bucket = this.#buckets.get(zone);
    if (bucket === undefined) {
      bucket = new OneTokenBucket(EVICTION_RATE, nowMs);
      this.#buckets.set(zone, bucket);
    }
    return bucket;
  }

  /** @returns whether the cluster became fully disrupted, or stopped being so */
  update(zones: ReadonlyMap<string, ZoneCount>, nowMs: number): Disruption {
    const states = new Map([...zones].map(([zone, count]) => [zone, zoneState(count)]));
    for (const zone of states.keys()) if (!this.#states.has(zone)) this.#states.set(zone, 'initial');
    for (const zone of [...this.#states.keys()]) if (!states.has(zone)) this.#states.delete(zone);
    const isFull = [...states.values()].every((state) => state === 'full');
    const wasFull = [...this.#states.values()].every((state) => state === 'full');
    if (isFull && wasFull) return 'unchanged';
    for (const [zone, state] of states) {
      this.#states.set(zone, state);
      this.bucketOf(zone, nowMs).setRate(isFull ? 0 : rateOf(state, zones.get(zone)), nowMs);
    }
    return isFull ? 'entered' : wasFull ? 'left' : 'unchanged';
  }
}

function rateOf(state: ZoneState, { ready, notReady }: ZoneCount = { ready: 0, notReady: 0 }): number {
  if (state !== 'partial') return EVICTION_RATE;
  return ready + notReady > LARGE_ZONE_NODES ? SECONDARY_EVICTION_RATE : 0;
}

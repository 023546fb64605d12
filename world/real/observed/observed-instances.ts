import type { Instance as Described } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import type { Ec2Client } from '../../../clients/ec2-client.ts';
import type { Recorder } from '../../../history/events.ts';
import type { InstanceType } from '../../../model/catalogue.ts';
import { CutShortError } from '../../../model/cut-short.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Instance, InstancePort } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';

/** How often EC2 is asked: two requests a poll at most are far below what it allows (20 a second). */
export const POLL_PERIOD_MS = 2_000;
/** An observer that sees nothing for so long can't say what happened meanwhile. */
const BLIND_LIMIT_MS = 60_000;
/** Karpenter tags what it launches with the name of the pool. */
const POOL_TAG = 'karpenter.sh/nodepool';

const STATES = ['pending', 'running', 'shutting-down', 'terminated', 'stopping', 'stopped'] as const;

interface Site {
  readonly ec2: Pick<Ec2Client, 'describeInstances'>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly instanceType: (type: string) => InstanceType | undefined;
  /** What the names of the run's pools begin with. */
  readonly poolPrefix: string;
  readonly onFailure: (error: Error) => void;
}

/**
 * The instances of the run's pools as EC2 tells of them when it is asked now and then: what happened between two looks is
 * not seen, nor which request brought it about. An instance that is seen running at first is recorded as launched, too.
 */
export class ObservedInstances implements InstancePort, WorldPart {
  readonly #site: Site;
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<(instance: Instance) => void>();
  /** Those that were there before. */
  readonly #old = new Set<string>();

  constructor(site: Site) {
    this.#site = site;
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    throw new Error('an observer ends no instance');
  }

  /** Looks once, before anything is done: what is there is none of this trial's. @throws CutShortError when EC2 can't be asked */
  async begin(): Promise<void> {
    try {
      for (const { InstanceId: id = '' } of await this.#describe()) this.#old.add(id);
    } catch (error) {
      throw error instanceof Ec2Error ? new CutShortError(`EC2 can't be observed: ${error.code}: ${error.message}`) : error;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, onFailure } = this.#site;
    let seenMs = clock.nowMs();
    while (!signal.aborted) {
      try {
        for (const described of await this.#describe()) this.#observe(described);
        seenMs = clock.nowMs();
      } catch (error) {
        if (!(error instanceof Ec2Error)) throw error;
        if (clock.nowMs() - seenMs > BLIND_LIMIT_MS) {
          onFailure(new CutShortError(`EC2 could not be observed for ${BLIND_LIMIT_MS / 1_000} s: ${error.code}: ${error.message}`));
          return;
        }
      }
      await clock.sleep(POLL_PERIOD_MS, signal).catch(() => undefined);
    }
  }

  async #describe(): Promise<Described[]> {
    const { ec2, poolPrefix } = this.#site;
    const described = await ec2.describeInstances({ Filters: [{ Name: `tag:${POOL_TAG}`, Values: [`${poolPrefix}*`] }] });
    return described.filter(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === POOL_TAG && Value?.startsWith(poolPrefix) === true));
  }

  #observe(described: Described): void {
    const { InstanceId: id = '' } = described;
    if (this.#old.has(id)) return;
    const before = this.#instances.get(id);
    const instance = toInstance(described, this.#site.instanceType);
    if (before?.state === instance.state) return;
    this.#instances.set(id, instance);
    if (before === undefined && instance.state !== 'pending') this.#record({ ...instance, state: 'pending' });
    this.#record(instance);
    for (const listener of [...this.#listeners]) listener(instance);
  }

  #record({ id, state, instanceType, zone, capacityType, usdPerHour, tags }: Instance): void {
    const type = this.#site.instanceType(instanceType);
    this.#site.recorder.record({
      type: 'instance',
      instance: id,
      to: state,
      instanceType,
      zone,
      capacityType,
      usdPerHour,
      ...(type === undefined ? {} : { vcpu: type.vcpu, memoryMiB: type.memoryMiB }),
      tags: { ...tags },
    });
  }
}

/** What is not told is left empty; prices are those of the catalogue, on demand. */
function toInstance(described: Described, instanceType: (type: string) => InstanceType | undefined): Instance {
  const { InstanceId: id = '', InstanceType: type = 'unknown', Placement, State, LaunchTime, Tags = [] } = described;
  return {
    id,
    instanceType: type,
    zone: Placement?.AvailabilityZone ?? 'unknown',
    capacityType: described.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand',
    state: STATES.find((state) => state === State?.Name) ?? 'pending',
    privateIp: described.PrivateIpAddress ?? '',
    privateDnsName: described.PrivateDnsName ?? '',
    launchedAtMs: LaunchTime?.getTime() ?? 0,
    tags: Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])),
    userData: '',
    usdPerHour: instanceType(type)?.onDemandUsdPerHour ?? 0,
  };
}

import type { Instance as Described } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import type { Ec2Client } from '../../../clients/ec2-client.ts';
import type { Recorder } from '../../../history/events.ts';
import { archOf } from '../../../model/catalogue.ts';
import type { InstanceType } from '../../../model/catalogue.ts';
import { CutShortError } from '../../../model/cut-short.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { InstanceBook } from '../../instance-book.ts';
import type { Instance, InstancePort } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';

/** How often EC2 is asked: two requests a poll, or a few where many are missing, are far below what it allows (20 a second). */
export const POLL_PERIOD_MS = 2_000;
/** An observer that sees nothing for so long can't say what happened meanwhile. */
const BLIND_LIMIT_MS = 60_000;
/** Most values that one filter takes. Source: EC2 API reference, `Filter`. */
const MAX_FILTER_VALUES = 200;
/** Reads are eventually consistent: what one look did not find the next may. */
const LOOKS_IN_VAIN = 2;
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
 * not seen, nor which request brought it about. An instance that is seen running at first is recorded as launched, too; one
 * that EC2 no longer knows is terminated: EC2 forgets it within an hour, LocalStack at once, and tags may go before.
 */
export class ObservedInstances extends InstanceBook implements InstancePort, WorldPart {
  readonly #site: Site;
  /** Those that were there before. */
  readonly #old = new Set<string>();
  /** How often in a row each was looked for in vain. */
  readonly #missed = new Map<string, number>();

  constructor(site: Site) {
    super();
    this.#site = site;
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
        await this.#look();
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

  async #look(): Promise<void> {
    const found = new Set<string>();
    const observe = (described: Described): void => {
      found.add(described.InstanceId ?? '');
      this.#observe(described);
    };
    for (const described of await this.#describe()) observe(described);
    const missing = this.list().filter(({ id, state }) => state !== 'terminated' && !found.has(id));
    for (let from = 0; from < missing.length; from += MAX_FILTER_VALUES) {
      const ids = missing.slice(from, from + MAX_FILTER_VALUES).map(({ id }) => id);
      // Asked for by its id alone, one that EC2 does not know would have the whole request refused (InvalidInstanceID.NotFound).
      for (const described of await this.#site.ec2.describeInstances({ Filters: [{ Name: 'instance-id', Values: ids }] }))
        observe(described);
    }
    for (const id of found) this.#missed.delete(id);
    for (const instance of missing) if (!found.has(instance.id)) this.#miss(instance);
  }

  #miss(instance: Instance): void {
    const looks = (this.#missed.get(instance.id) ?? 0) + 1;
    this.#missed.set(instance.id, looks);
    if (looks >= LOOKS_IN_VAIN) this.#change(instance, { ...instance, state: 'terminated' });
  }

  async #describe(): Promise<Described[]> {
    const { ec2, poolPrefix } = this.#site;
    const described = await ec2.describeInstances({ Filters: [{ Name: `tag:${POOL_TAG}`, Values: [`${poolPrefix}*`] }] });
    return described.filter(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === POOL_TAG && Value?.startsWith(poolPrefix) === true));
  }

  #observe(described: Described): void {
    const { InstanceId: id = '' } = described;
    if (this.#old.has(id)) return;
    const before = this.get(id);
    const seen = toInstance(described, this.#site.instanceType);
    // Tags may go before the instance does.
    this.#change(before, before === undefined ? seen : { ...seen, tags: { ...before.tags, ...seen.tags } });
  }

  #change(before: Instance | undefined, instance: Instance): void {
    if (before?.state === instance.state) return;
    if (before === undefined && instance.state !== 'pending') this.#record({ ...instance, state: 'pending' });
    this.#record(instance);
    this.note(instance);
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
      ...(type === undefined ? {} : { arch: archOf(type), vcpu: type.vcpu, memoryMiB: type.memoryMiB }),
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

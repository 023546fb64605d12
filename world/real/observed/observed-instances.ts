import type { Instance as Described } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import type { Ec2Client } from '../../../clients/ec2-client.ts';
import type { Recorder } from '../../../history/events.ts';
import { archOf } from '../../../model/catalogue.ts';
import type { InstanceType } from '../../../model/catalogue.ts';
import { CutShortError } from '../../../model/cut-short.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { InstanceBook } from '../../instance-book.ts';
import type { Instance, InstancePort } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';

/** How often EC2 is polled: two requests per poll, or a few if many are missing, are far below its limit (20 per second). */
export const POLL_PERIOD_MS = 2_000;
/** After this time without an answer, an observer can't know what happened meanwhile. */
const BLIND_LIMIT_MS = 60_000;
/** Maximum values in one filter. Source: EC2 API reference, `Filter`. */
const MAX_FILTER_VALUES = 200;
/** Reads are eventually consistent: what one poll did not find the next may. */
const MAX_MISSED_POLLS = 2;
/** Karpenter tags what it launches with the name of the pool. */
const POOL_TAG = 'karpenter.sh/nodepool';

const STATES = ['pending', 'running', 'shutting-down', 'terminated', 'stopping', 'stopped'] as const;

interface Site {
  readonly ec2: Pick<Ec2Client, 'describeInstances'>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly instanceType: (type: string) => InstanceType | undefined;
  /** Prefix of the names of the run's pools. */
  readonly poolPrefix: string;
  readonly onFailure: (error: Error) => void;
}

/**
 * The instances of the run's pools as EC2 reports them when polled: changes between two polls are not seen, nor is the request
 * that caused them. An instance first seen running is recorded as launched, too; one that EC2 no longer knows counts as
 * terminated: EC2 forgets it within an hour, LocalStack at once, and tags may be removed earlier.
 */
export class ObservedInstances extends InstanceBook implements InstancePort, WorldPart {
  readonly #site: Site;
  /** Instances from before the trial. */
  readonly #existing = new Set<string>();
  /** The number of consecutive polls that did not find an instance. */
  readonly #missed = new Map<string, number>();

  constructor(site: Site) {
    super();
    this.#site = site;
  }

  end(): void {
    throw new Error("an observer can't terminate instances");
  }

  /** Reads existing instances before anything is done: they don't belong to this trial. @throws CutShortError when EC2 can't be queried */
  async begin(): Promise<void> {
    try {
      for (const { InstanceId: id = '' } of await this.#describe()) this.#existing.add(id);
    } catch (error) {
      throw error instanceof Ec2Error ? new CutShortError(`EC2 can't be observed: ${error.code}: ${error.message}`) : error;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, onFailure } = this.#site;
    let seenMs = clock.nowMs();
    while (!signal.aborted) {
      try {
        await this.#poll();
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

  async #poll(): Promise<void> {
    const found = new Set<string>();
    const observe = (described: Described): void => {
      found.add(described.InstanceId ?? '');
      this.#observe(described);
    };
    for (const described of await this.#describe()) observe(described);
    const missing = this.list().filter(({ id, state }) => state !== 'terminated' && !found.has(id));
    for (let from = 0; from < missing.length; from += MAX_FILTER_VALUES) {
      const ids = missing.slice(from, from + MAX_FILTER_VALUES).map(({ id }) => id);
      // With InstanceIds, one unknown id would make EC2 refuse the whole request (InvalidInstanceID.NotFound).
      for (const described of await this.#site.ec2.describeInstances({ Filters: [{ Name: 'instance-id', Values: ids }] }))
        observe(described);
    }
    for (const id of found) this.#missed.delete(id);
    for (const instance of missing) if (!found.has(instance.id)) this.#miss(instance);
  }

  #miss(instance: Instance): void {
    const looks = (this.#missed.get(instance.id) ?? 0) + 1;
    this.#missed.set(instance.id, looks);
    if (looks >= MAX_MISSED_POLLS) this.#change(instance, { ...instance, state: 'terminated' });
  }

  async #describe(): Promise<Described[]> {
    const { ec2, poolPrefix } = this.#site;
    const described = await ec2.describeInstances({ Filters: [{ Name: `tag:${POOL_TAG}`, Values: [`${poolPrefix}*`] }] });
    return described.filter(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === POOL_TAG && Value?.startsWith(poolPrefix) === true));
  }

  #observe(described: Described): void {
    const { InstanceId: id = '' } = described;
    if (this.#existing.has(id)) return;
    const before = this.get(id);
    const seen = toInstance(described, this.#site.instanceType);
    // Tags may be removed before the instance is gone.
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
      ...defined({ arch: type && archOf(type), vcpu: type?.vcpu, memoryMiB: type?.memoryMiB }),
      tags: { ...tags },
    });
  }
}

/** Missing fields are left empty; prices are the catalogue's on-demand prices. */
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

import { isDeepStrictEqual } from 'node:util';
import type { EventOf, Recorder } from '../../history/events.ts';
import { archOf, selects } from '../../model/catalogue.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Heal, Instance, InstanceFaultPort, InstancePort } from '../ports.ts';
import { privateDnsName } from './addresses.ts';
import type { Hostnames } from './hostnames.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange } from '../tasks.ts';
import type { Lease } from './capacity.ts';
import type { InstanceStore } from './instance-store.ts';
import type { TemplateData } from './launch-templates.ts';
import type { Subnet } from './network.ts';
import { namedGroupIds } from './named-groups.ts';
import { Replica } from './replica.ts';
import type { ReadLag } from './replica.ts';
import { rootVolumeGiB } from './root-volume.ts';
import { checkTagCount } from './tags.ts';
import type { PartTags, Tags } from './tags.ts';

/** How long an instance stays in each state; drawn for each instance. */
export interface InstanceDelays {
  readonly pending: DelayRange;
  readonly shuttingDown: DelayRange;
  readonly stopping: DelayRange;
}

/** A few seconds until running, tens of seconds to terminate, as observed for Linux instances. */
export const INSTANCE_DELAYS: InstanceDelays = {
  pending: { minMs: 2_000, maxMs: 8_000 },
  shuttingDown: { minMs: 15_000, maxMs: 45_000 },
  stopping: { minMs: 15_000, maxMs: 45_000 },
};

/** A terminated instance is listed for about an hour. Source: "Terminate Amazon EC2 instances". */
export const TERMINATED_VISIBLE_MS = 3_600_000;

/** Why an instance was terminated, in EC2's words. */
export interface StateReason {
  readonly code: string;
  readonly message: string;
}

/** Someone called TerminateInstances. */
export const USER_INITIATED: StateReason = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

/** Source: "Troubleshoot Amazon EC2 instance launch issues", instance terminates immediately. */
const LAUNCH_FAILED: StateReason = { code: 'Client.InternalError', message: 'Client.InternalError: Client error on launch' };

/** On each instance of an Auto Scaling group: the group's name. Users can't set it. */
export const GROUP_TAG = 'aws:autoscaling:groupName';

type LaunchFailure = Parameters<InstanceFaultPort['failLaunches']>[0];
type EndingDelay = Parameters<InstanceFaultPort['delayEndings']>[0];

/** An instance with everything that requests see of it. Records are immutable: a change replaces them. */
export interface InstanceRecord extends Instance {
  /** The number of the launch, from 1. */
  readonly sequence: number;
  readonly reservationId: string;
  /** Index in its reservation, from 0. */
  readonly launchIndex: number;
  readonly architecture: InstanceType['architecture'];
  readonly imageId: string;
  readonly subnetId: string;
  /** That of the request which launched it; empty if none. EC2 does not document what it shows for a fleet's instances. */
  readonly clientToken: string;
  readonly template: TemplateData;
  /** Set by its launch. */
  readonly partTags: PartTags;
  /** TerminateInstances refuses it. */
  readonly isProtected: boolean;
  readonly stateReason?: StateReason;
  /** When it last started running, in ms since the epoch. */
  readonly runningAtMs?: number;
  /** When it started shutting down or stopping, in ms since the epoch. */
  readonly endingAtMs?: number;
  /** When it was terminated, in ms since the epoch. */
  readonly endedAtMs?: number;
  /** It was there before the cluster and does not belong to it: see `foreign-instance.ts`. */
  readonly isForeign?: true;
}

/** The parameters of a launch. */
export interface Launch {
  readonly type: InstanceType;
  readonly subnet: Subnet;
  readonly capacityType: InstanceRecord['capacityType'];
  readonly usdPerHour: number;
  readonly imageId: string;
  readonly template: TemplateData;
  readonly userData: string;
  readonly tags: Tags;
  readonly partTags: PartTags;
  readonly clientToken: string;
  readonly isProtected: boolean;
  readonly reservationId: string;
  readonly launchIndex: number;
  /** Its room in the pool. */
  readonly lease: Lease;
  /** Span of the request that launches it, if any. */
  readonly span?: number;
}

/**
 * All instances of the account and their states over time, reported to the history and to listeners. Requests see all of them;
 * the world's own parts, through the port, only those of the cluster.
 */
export class Instances implements InstancePort {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #store: InstanceStore;
  readonly #delays: InstanceDelays;
  readonly #hostnames: Hostnames;
  /** What reads see. */
  readonly #replica: Replica<InstanceRecord>;
  readonly #failures = new Set<{ readonly failure: LaunchFailure; left: number }>();
  readonly #endingDelays = new Set<{ readonly delay: EndingDelay; readonly healing: AbortController; left: number }>();
  /** In the order of launch. Bounded by what the pools hold and what ended within the last hour. */
  readonly #records = new Map<string, InstanceRecord>();
  readonly #leases = new Map<string, Lease>();
  readonly #listeners = new Set<(instance: Instance) => void>();
  readonly #rebootListeners = new Set<(id: string) => void>();
  #launches = 0;

  constructor(parts: {
    clock: Clock;
    random: Random;
    recorder: Recorder;
    store: InstanceStore;
    delays: InstanceDelays;
    readLag: ReadLag;
    hostnames: Hostnames;
  }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#recorder = parts.recorder;
    this.#store = parts.store;
    this.#delays = parts.delays;
    this.#hostnames = parts.hostnames;
    this.#replica = new Replica(parts.clock, parts.random.fork('reads'), parts.readLag);
  }

  /** Allows delaying reads. */
  get replica(): Pick<Replica<InstanceRecord>, 'delay'> {
    return this.#replica;
  }

  /** An instance of the cluster. */
  get(id: string): InstanceRecord | undefined {
    const record = this.current(id);
    return record?.isForeign === true ? undefined : record;
  }

  /** The cluster's instances, in the order of launch. */
  list(): readonly InstanceRecord[] {
    return this.#all().filter(({ isForeign }) => isForeign !== true);
  }

  /** An instance in its current state, whoever owns it. */
  current(id: string): InstanceRecord | undefined {
    const record = this.#records.get(id);
    return record === undefined || this.#isForgotten(record) ? undefined : record;
  }

  /** An instance as a read sees it. @param span of the request */
  read(id: string, span: number): InstanceRecord | undefined {
    return this.current(id) === undefined ? undefined : this.#replica.read(id, span);
  }

  /** What a read lists, in the order of launch. @param among the ids of all that it asks for */
  readAll(span: number, among?: ReadonlySet<string>): readonly InstanceRecord[] {
    // A fault that makes reads stale strikes whatever is looked at.
    if (among !== undefined && !this.#replica.isDelayed) {
      return [...among].flatMap((id) => this.read(id, span) ?? []).sort((a, b) => a.sequence - b.sequence);
    }
    return this.#all().flatMap(({ id }) => this.#replica.read(id, span) ?? []);
  }

  /** Whether a request that changes an instance knows it. */
  knows(id: string, span: number): boolean {
    return this.current(id) !== undefined && this.#replica.knows(id, span);
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(id: string, reason: string): void {
    const code = reason.split(':', 1).join('').trim();
    this.#startEnding(id, { code, message: reason });
  }

  /** Makes launches fail while they boot, until undone. */
  failLaunches(failure: LaunchFailure): Heal {
    const armed = { failure, left: failure.count };
    this.#failures.add(armed);
    return () => void this.#failures.delete(armed);
  }

  /** Makes instances take longer to terminate, until undone. */
  delayEndings(delay: EndingDelay): Heal {
    const armed = { delay, healing: new AbortController(), left: delay.count ?? Infinity };
    this.#endingDelays.add(armed);
    return () => {
      this.#endingDelays.delete(armed);
      armed.healing.abort(new Error('healed'));
    };
  }

  /** Adds a foreign instance, which has always existed. */
  add(record: InstanceRecord & { readonly isForeign: true }): void {
    this.#records.set(record.id, record);
    this.#replica.found(record.id, record);
    this.#recordForeign(record, 'found');
  }

  /** Stops an instance that is pending or running: it keeps its address, but not its room. */
  stop(id: string, stateReason: StateReason, span?: number): InstanceRecord | undefined {
    const record = this.current(id);
    if (record?.state === 'running' || record?.state === 'pending') {
      this.#change({ ...record, state: 'stopping', stateReason, endingAtMs: this.#clock.nowMs() }, defined({ span }));
      void this.#finishStopping(id);
    }
    return this.current(id);
  }

  /** Starts a stopped instance. @param lease its new room */
  start(id: string, lease: Lease, span: number): InstanceRecord | undefined {
    const record = this.current(id);
    if (record?.state === 'stopped') {
      this.#leases.set(id, lease);
      const { stateReason: _reason, endingAtMs: _ending, ...rest } = record;
      this.#change({ ...rest, state: 'pending', launchedAtMs: this.#clock.nowMs() }, { span });
      void this.#boot(id);
    }
    return this.current(id);
  }

  /** Reboots a running instance: it keeps its state, and what runs on it starts again. */
  reboot(id: string): void {
    if (this.get(id)?.state === 'running') for (const listener of [...this.#rebootListeners]) listener(id);
  }

  /** Calls the listener with the id of an instance of the cluster that reboots. @returns a function that removes it */
  onReboot(listener: (id: string) => void): () => void {
    this.#rebootListeners.add(listener);
    return () => this.#rebootListeners.delete(listener);
  }

  /** Changes what its launch set for the metadata service. */
  setMetadataOptions(id: string, MetadataOptions: NonNullable<TemplateData['MetadataOptions']>): void {
    const record = this.current(id);
    if (record !== undefined) this.#keep({ ...record, template: { ...record.template, MetadataOptions } });
  }

  /** Switches termination protection. */
  protect(id: string, isProtected: boolean): void {
    const record = this.current(id);
    if (record !== undefined) this.#keep({ ...record, isProtected });
  }

  /** Launches one instance. Rejects with the store's refusal, having changed nothing. */
  async launch(launch: Launch): Promise<InstanceRecord> {
    const { type, subnet, capacityType, usdPerHour, imageId, template, userData, tags, clientToken } = launch;
    const machine = await this.#store.launch({ instanceType: type.type, imageId, subnetId: subnet.id, capacityType, tags, userData });
    this.#launches += 1;
    const record: InstanceRecord = {
      ...machine,
      privateDnsName: privateDnsName({ ...machine, zone: subnet.zone }, this.#hostnames.ofLaunch(template, subnet.zone)),
      sequence: this.#launches,
      reservationId: launch.reservationId,
      launchIndex: launch.launchIndex,
      instanceType: type.type,
      architecture: type.architecture,
      imageId,
      zone: subnet.zone,
      subnetId: subnet.id,
      capacityType,
      usdPerHour,
      state: 'pending',
      launchedAtMs: this.#clock.nowMs(),
      tags,
      partTags: launch.partTags,
      userData,
      securityGroupIds: namedGroupIds(template),
      ...defined({ rootVolumeGiB: rootVolumeGiB(template) }),
      clientToken,
      template,
      isProtected: launch.isProtected,
    };
    this.#leases.set(record.id, launch.lease);
    const token = clientToken === '' ? {} : { token: clientToken };
    this.#change(record, {
      ...defined({ span: launch.span }),
      tags: { ...tags },
      arch: archOf(type),
      vcpu: type.vcpu,
      memoryMiB: type.memoryMiB,
      ...token,
    });
    if (this.#mustFail(record, launch.span)) void this.#failToBoot(record.id);
    else void this.#boot(record.id);
    return record;
  }

  /**
   * Terminates an instance, unless it is already ending. Returns it as it then is; undefined if there is none.
   * @param span of the request that wants it, if any
   */
  terminate(id: string, span: number | undefined): InstanceRecord | undefined {
    this.#startEnding(id, USER_INITIATED, span);
    return this.current(id);
  }

  /** Changes tags; does nothing for an instance that does not exist. @throws Ec2Refusal for too many */
  retag(id: string, change: (tags: Tags) => Tags, span: number): void {
    const record = this.current(id);
    if (record === undefined) return;
    const tags = change(record.tags);
    checkTagCount(tags);
    this.#keep({ ...record, tags });
    if (record.isForeign === true && !isDeepStrictEqual(tags, record.tags)) this.#recordForeign({ ...record, tags }, 'retagged', span);
  }

  #all(): readonly InstanceRecord[] {
    for (const [id, record] of this.#records) if (this.#isForgotten(record)) this.#forget(id);
    return [...this.#records.values()];
  }

  async #boot(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'pending', this.#delays.pending));
    const record = this.#records.get(id);
    if (record?.state === 'pending') this.#change({ ...record, state: 'running', runningAtMs: this.#clock.nowMs() });
  }

  #mustFail(record: InstanceRecord, span: number | undefined): boolean {
    const armed = [...this.#failures].find(({ failure, left }) => left > 0 && selects(failure.selector, record));
    if (armed === undefined) return false;
    armed.left -= 1;
    armed.failure.fired(span);
    return true;
  }

  /** From pending straight to terminated. */
  async #failToBoot(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'pending', this.#delays.pending));
    const record = this.#records.get(id);
    if (record?.state !== 'pending') return;
    this.#records.set(id, { ...record, stateReason: LAUNCH_FAILED, endingAtMs: this.#clock.nowMs() });
    await this.#end(id);
  }

  #startEnding(id: string, stateReason: StateReason, span?: number): void {
    const record = this.current(id);
    if (record === undefined || record.state === 'shutting-down' || record.state === 'terminated') return;
    this.#change({ ...record, state: 'shutting-down', stateReason, endingAtMs: this.#clock.nowMs() }, defined({ span }));
    void this.#finish(id);
  }

  async #finish(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'shutting-down', this.#delays.shuttingDown));
    await this.#takeLonger(id);
    await this.#end(id);
  }

  async #takeLonger(id: string): Promise<void> {
    const record = this.#records.get(id);
    const armed = [...this.#endingDelays].find(({ delay, left }) => left > 0 && record !== undefined && selects(delay.selector, record));
    if (armed === undefined) return;
    armed.left -= 1;
    armed.delay.fired();
    // A rejection only means that it is healed.
    await this.#clock.sleep(armed.delay.delayMs, armed.healing.signal).catch(() => undefined);
  }

  async #end(id: string): Promise<void> {
    await this.#store.terminate(id);
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#release(id);
    this.#change({ ...record, state: 'terminated', endedAtMs: this.#clock.nowMs() });
  }

  async #finishStopping(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'stopping', this.#delays.stopping));
    const record = this.#records.get(id);
    if (record?.state !== 'stopping') return;
    this.#release(id);
    this.#change({ ...record, state: 'stopped' });
  }

  #release(id: string): void {
    this.#leases.get(id)?.release();
    this.#leases.delete(id);
  }

  #draw(id: string, what: string, delay: DelayRange): number {
    return drawMs(this.#random.fork(`${id}/${what}`), delay);
  }

  #change(record: InstanceRecord, more: Pick<EventOf<'instance'>, 'span' | 'token' | 'tags' | 'arch' | 'vcpu' | 'memoryMiB'> = {}): void {
    this.#keep(record);
    if (record.isForeign === true) {
      this.#recordForeign(record, record.state, more.span);
      return;
    }
    this.#recorder.record({
      type: 'instance',
      instance: record.id,
      to: record.state,
      instanceType: record.instanceType,
      zone: record.zone,
      capacityType: record.capacityType,
      usdPerHour: record.usdPerHour,
      ...more,
      ...defined({ group: record.tags[GROUP_TAG], reason: record.stateReason?.message }),
    });
    for (const listener of [...this.#listeners]) listener(record);
  }

  #recordForeign({ id, tags }: InstanceRecord, to: EventOf<'foreign-instance'>['to'], span?: number): void {
    this.#recorder.record({ type: 'foreign-instance', instance: id, to, tags: { ...tags }, ...defined({ span }) });
  }

  #keep(record: InstanceRecord): void {
    this.#records.set(record.id, record);
    this.#replica.write(record.id, record);
  }

  #forget(id: string): void {
    this.#records.delete(id);
    this.#replica.forget(id);
  }

  #isForgotten({ endedAtMs }: InstanceRecord): boolean {
    return endedAtMs !== undefined && this.#clock.nowMs() - endedAtMs >= TERMINATED_VISIBLE_MS;
  }
}

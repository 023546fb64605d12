import type { EventOf, Recorder } from '../../history/events.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Instance, InstancePort } from '../ports.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange } from '../tasks.ts';
import type { Lease } from './capacity.ts';
import type { InstanceStore } from './instance-store.ts';
import type { TemplateData } from './launch-templates.ts';
import type { Subnet } from './network.ts';
import { checkTagCount } from './tags.ts';
import type { Tags } from './tags.ts';

/** How long an instance stays in these states; drawn for each. */
export interface InstanceDelays {
  readonly pending: DelayRange;
  readonly shuttingDown: DelayRange;
}

/** A few seconds to run, tens of seconds to end, as seen of Linux instances. */
export const INSTANCE_DELAYS: InstanceDelays = {
  pending: { minMs: 2_000, maxMs: 8_000 },
  shuttingDown: { minMs: 15_000, maxMs: 45_000 },
};

/** A terminated instance is listed for about an hour. Source: "Terminate Amazon EC2 instances". */
export const TERMINATED_VISIBLE_MS = 3_600_000;

/** Why an instance ended, as EC2 words it. */
export interface StateReason {
  readonly code: string;
  readonly message: string;
}

/** Somebody called TerminateInstances. */
export const USER_INITIATED: StateReason = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

/** An instance with everything that requests see of it. Records are never changed, but replaced. */
export interface InstanceRecord extends Instance {
  /** Counts launches, from 1. */
  readonly sequence: number;
  readonly reservationId: string;
  /** Place among the instances of its reservation, from 0. */
  readonly launchIndex: number;
  readonly architecture: InstanceType['architecture'];
  readonly imageId: string;
  readonly subnetId: string;
  /** That of the request which launched it; empty for none. EC2 does not say what it shows of a fleet's instances. */
  readonly clientToken: string;
  readonly template: TemplateData;
  readonly stateReason?: StateReason;
  /** When it began to end, in ms since the epoch. */
  readonly endingAtMs?: number;
  /** When it was terminated, in ms since the epoch. */
  readonly endedAtMs?: number;
}

/** What is launched. */
export interface Launch {
  readonly type: InstanceType;
  readonly subnet: Subnet;
  readonly capacityType: InstanceRecord['capacityType'];
  readonly usdPerHour: number;
  readonly imageId: string;
  readonly template: TemplateData;
  readonly userData: string;
  readonly tags: Tags;
  readonly clientToken: string;
  readonly reservationId: string;
  readonly launchIndex: number;
  /** Its room in the pool. */
  readonly lease: Lease;
  /** Span of the request that launches it. */
  readonly span: number;
}

/** All instances of the world: their states over time, told to the history and to whoever listens. */
export class Instances implements InstancePort {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #store: InstanceStore;
  readonly #delays: InstanceDelays;
  /** In the order of launch. Bounded by what the pools hold and what ended within the last hour. */
  readonly #records = new Map<string, InstanceRecord>();
  readonly #leases = new Map<string, Lease>();
  readonly #listeners = new Set<(instance: Instance) => void>();
  #launches = 0;

  constructor(parts: { clock: Clock; random: Random; recorder: Recorder; store: InstanceStore; delays: InstanceDelays }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#recorder = parts.recorder;
    this.#store = parts.store;
    this.#delays = parts.delays;
  }

  get(id: string): InstanceRecord | undefined {
    const record = this.#records.get(id);
    return record === undefined || this.#isForgotten(record) ? undefined : record;
  }

  /** In the order of launch. */
  list(): readonly InstanceRecord[] {
    for (const [id, record] of this.#records) if (this.#isForgotten(record)) this.#records.delete(id);
    return [...this.#records.values()];
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(id: string, reason: string): void {
    const code = reason.split(':', 1).join('').trim();
    this.#startEnding(id, { code, message: reason });
  }

  /** Launches one instance. Rejects with the store's refusal, having changed nothing. */
  async launch(launch: Launch): Promise<InstanceRecord> {
    const { type, subnet, capacityType, usdPerHour, imageId, template, userData, tags, clientToken } = launch;
    const machine = await this.#store.launch({ instanceType: type.type, imageId, subnetId: subnet.id, tags, userData });
    this.#launches += 1;
    const record: InstanceRecord = {
      ...machine,
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
      userData,
      clientToken,
      template,
    };
    this.#leases.set(record.id, launch.lease);
    const token = clientToken === '' ? {} : { token: clientToken };
    this.#change(record, { span: launch.span, tags: { ...tags }, ...token });
    void this.#boot(record.id);
    return record;
  }

  /** Ends an instance at a user's wish, if it is not ending already. Returns it as it then is; undefined if there is none. */
  terminate(id: string, span: number): InstanceRecord | undefined {
    this.#startEnding(id, USER_INITIATED, span);
    return this.get(id);
  }

  /** Sets tags and takes others away; an instance that is not there is left alone. @throws Ec2Refusal for too many */
  retag(id: string, change: (tags: Tags) => Tags): void {
    const record = this.get(id);
    if (record === undefined) return;
    const tags = change(record.tags);
    checkTagCount(tags);
    this.#records.set(id, { ...record, tags });
  }

  async #boot(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'pending', this.#delays.pending));
    const record = this.#records.get(id);
    if (record?.state === 'pending') this.#change({ ...record, state: 'running' });
  }

  #startEnding(id: string, stateReason: StateReason, span?: number): void {
    const record = this.get(id);
    if (record === undefined || record.state === 'shutting-down' || record.state === 'terminated') return;
    this.#change({ ...record, state: 'shutting-down', stateReason, endingAtMs: this.#clock.nowMs() }, span === undefined ? {} : { span });
    void this.#finish(id);
  }

  async #finish(id: string): Promise<void> {
    await this.#clock.sleep(this.#draw(id, 'shutting-down', this.#delays.shuttingDown));
    await this.#store.terminate(id);
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#leases.get(id)?.giveBack();
    this.#leases.delete(id);
    this.#change({ ...record, state: 'terminated', endedAtMs: this.#clock.nowMs() });
  }

  #draw(id: string, what: string, delay: DelayRange): number {
    return drawMs(this.#random.fork(`${id}/${what}`), delay);
  }

  #change(record: InstanceRecord, more: Pick<EventOf<'instance'>, 'span' | 'token' | 'tags'> = {}): void {
    this.#records.set(record.id, record);
    this.#recorder.record({
      type: 'instance',
      instance: record.id,
      to: record.state,
      instanceType: record.instanceType,
      zone: record.zone,
      capacityType: record.capacityType,
      usdPerHour: record.usdPerHour,
      ...more,
      ...(record.stateReason === undefined ? {} : { reason: record.stateReason.message }),
    });
    for (const listener of [...this.#listeners]) listener(record);
  }

  #isForgotten({ endedAtMs }: InstanceRecord): boolean {
    return endedAtMs !== undefined && this.#clock.nowMs() - endedAtMs >= TERMINATED_VISIBLE_MS;
  }
}

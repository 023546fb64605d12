import { NOTICE_KINDS } from '../../history/events.ts';
import type { NoticeKind, Recorder } from '../../history/events.ts';
import { selects } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Caller } from '../../wire/backend.ts';
import type { Heal, Instance, InstancePort, MessageKind, MessagePerturbation, QueuePort, StrayMessage } from '../ports.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange } from '../tasks.ts';
import {
  formatEvent,
  lifecycleAction,
  rebalanceRecommendation,
  scheduledChange,
  spotInterruptionWarning,
  stateChange,
} from './event-bodies.ts';
import type { EventContent } from './event-bodies.ts';
import type { LifecycleAction } from './autoscaling/lifecycle-actions.ts';
import { drawId, drawUuid } from './ids.ts';

/** From an event to its message in the queue. AWS guarantees nothing; usually it is well below a second. */
const EVENT_DELAY: DelayRange = { minMs: 100, maxMs: 2_000 };

/** A queue as its senders see it. */
export interface MessageSink {
  /** Enqueues a message. @param options.onReceived called on each reception */
  send(body: string, options?: { readonly onReceived?: (caller: Caller) => void }): void;
}

/** Called when an event happens, whatever happens to its message. */
export type EventListener = (kind: MessageKind, instance: string) => void;

/** An armed perturbation. */
interface Armed {
  readonly perturbation: Parameters<QueuePort['perturb']>[0];
  readonly healing: AbortController;
  left: number;
}

/** What a fault does to one message. Once the fault is healed, it no longer delays the message. */
export interface MessageFate {
  readonly what: MessagePerturbation;
  readonly healed: AbortSignal;
}

/** Lifecycle actions are no messages of the cluster's queue as Karpenter's set-up makes it: faults do not perturb them. */
type PublishedKind = MessageKind | 'lifecycle-action';

/** An event with its metadata. */
interface Publication {
  readonly kind: PublishedKind;
  readonly instance: string;
  readonly content: EventContent;
  /** For a notice of termination: how long the instance will still run. */
  readonly endsInMs?: number;
  readonly fates?: readonly MessageFate[];
}

/**
 * EventBridge with the rules that Karpenter requires: state changes of every instance, spot warnings, rebalance recommendations
 * and AWS Health events go to the interruption queue. At least once, and in no guaranteed order.
 */
export class EventBus implements QueuePort {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #region: string;
  readonly #queue: MessageSink;
  readonly #instances: InstancePort;
  readonly #armed = new Set<Armed>();
  readonly #listeners = new Set<EventListener>();
  #events = 0;

  constructor(parts: { clock: Clock; random: Random; recorder: Recorder; region: string; queue: MessageSink; instances: InstancePort }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#recorder = parts.recorder;
    this.#region = parts.region;
    this.#queue = parts.queue;
    this.#instances = parts.instances;
    this.#instances.onChange((instance) => {
      this.#publish({ kind: 'state-change', instance: instance.id, content: stateChange(this.#region, instance) });
    });
  }

  /** EC2 warns that it will reclaim a spot instance. */
  warn(instance: Instance, endsInMs: number, fates: readonly MessageFate[]): void {
    this.#publish({ kind: 'spot-interruption', instance: instance.id, content: spotInterruptionWarning(instance), endsInMs, fates });
  }

  /** EC2 recommends replacing a spot instance. */
  recommendRebalance(instance: Instance, fates: readonly MessageFate[]): void {
    this.#publish({ kind: 'rebalance', instance: instance.id, content: rebalanceRecommendation(this.#region, instance), fates });
  }

  /** An instance of an Auto Scaling group waits for a hook: with the rule that Node Termination Handler requires. */
  tellLifecycleAction(action: LifecycleAction): void {
    this.#publish({ kind: 'lifecycle-action', instance: action.instance, content: lifecycleAction(action) });
  }

  /** Adds a listener besides the queue. @returns a function that removes it */
  onEvent(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  perturb(perturbation: Armed['perturbation']): Heal {
    const armed = { perturbation, healing: new AbortController(), left: perturbation.count ?? Number.POSITIVE_INFINITY };
    this.#armed.add(armed);
    return () => {
      this.#armed.delete(armed);
      armed.healing.abort(new Error('healed'));
    };
  }

  put(stray: Parameters<QueuePort['put']>[0]): Heal {
    const stopping = new AbortController();
    void this.#sendPeriodically(stray, stopping.signal);
    return () => stopping.abort(new Error('healed'));
  }

  scheduleChange({ selector, count, startsInMs, fired }: Parameters<QueuePort['scheduleChange']>[0]): Heal {
    const random = this.#next();
    const atMs = this.#clock.nowMs();
    const running = this.#instances.list().filter((instance) => instance.state === 'running' && selects(selector, instance));
    for (const instance of random.shuffle(running).slice(0, count)) {
      const parts = { region: this.#region, instance, atMs, startsAtMs: atMs + startsInMs, serial: drawUuid(random) };
      fired(instance.id);
      this.#publish({ kind: 'scheduled-change', instance: instance.id, content: scheduledChange(parts) });
    }
    return () => undefined;
  }

  async #sendPeriodically({ what, periodMs, fired }: Parameters<QueuePort['put']>[0], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const random = this.#next();
      const id = drawId(random, 'i');
      const stamp = { id: drawUuid(random), region: this.#region, atMs: this.#clock.nowMs() };
      const body = formatEvent(stamp, spotInterruptionWarning({ id, zone: `${this.#region}a` }));
      this.#queue.send(strayBody(what, body));
      fired(id);
      await sleepUnlessHealed(this.#clock, periodMs, signal);
    }
  }

  #publish({ kind, instance, content, endsInMs, fates = [] }: Publication): void {
    const random = this.#next();
    const body = formatEvent({ id: drawUuid(random), region: this.#region, atMs: this.#clock.nowMs() }, content);
    const ends = defined({ endsInMs });
    if (isNotice(kind)) this.#recorder.record({ type: 'notice', instance, kind, to: 'sent', ...ends });
    const all = [...fates, ...this.#strike(kind, instance)];
    const copies = all.reduce((product, { what }) => product * copiesOf(what), 1);
    for (let copy = 0; copy < copies; copy += 1) void this.#deliver(drawMs(random, EVENT_DELAY), all, body, kind, instance);
    if (kind === 'lifecycle-action') return;
    for (const listener of this.#listeners) listener(kind, instance);
  }

  /** A message delayed by a fault arrives at once when the fault is healed. */
  async #deliver(delayMs: number, fates: readonly MessageFate[], body: string, kind: PublishedKind, instance: string): Promise<void> {
    await this.#clock.sleep(delayMs);
    for (const { what, healed } of fates) if (what.kind === 'delay') await sleepUnlessHealed(this.#clock, what.delayMs, healed);
    if (isNotice(kind)) this.#recorder.record({ type: 'notice', instance, kind, to: 'queued' });
    this.#queue.send(body, {
      onReceived: ({ principal, span }) => {
        if (principal === 'target' && isNotice(kind)) this.#recorder.record({ type: 'notice', instance, kind, to: 'received', span });
      },
    });
  }

  /** What armed perturbations do to a message, in the order in which they were armed. */
  #strike(kind: PublishedKind, instance: string): MessageFate[] {
    if (kind === 'lifecycle-action') return [];
    return [...this.#armed].flatMap((armed) => {
      const { kinds, message, fired } = armed.perturbation;
      if (armed.left <= 0 || kinds?.includes(kind) === false) return [];
      armed.left -= 1;
      fired(kind, instance);
      return { what: message, healed: armed.healing.signal };
    });
  }

  #next(): Random {
    this.#events += 1;
    return this.#random.fork(`event ${this.#events}`);
  }
}

function copiesOf(perturbation: MessagePerturbation): number {
  if (perturbation.kind === 'lose') return 0;
  return perturbation.kind === 'duplicate' ? perturbation.copies : 1;
}

/** Resolves when the time has passed or the fault is healed. */
export async function sleepUnlessHealed(clock: Clock, ms: number, healed: AbortSignal): Promise<void> {
  await clock.sleep(ms, healed).catch((error: unknown) => {
    if (!healed.aborted) throw error;
  });
}

function isNotice(kind: PublishedKind): kind is NoticeKind {
  return (NOTICE_KINDS as readonly string[]).includes(kind);
}

/** @param warning about an instance that does not exist in this world */
function strayBody(what: StrayMessage, warning: string): string {
  switch (what) {
    case 'foreign':
      return warning;
    case 'unknown':
      return warning.replace('EC2 Spot Instance Interruption Warning', 'EC2 Instance Weather Report');
    case 'malformed':
      // As if truncated.
      return warning.slice(0, warning.indexOf('"detail":{'));
  }
}

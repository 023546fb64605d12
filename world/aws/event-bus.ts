import { NOTICE_KINDS } from '../../history/events.ts';
import type { NoticeKind, Recorder } from '../../history/events.ts';
import { selects } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Heal, Instance, InstancePort, MessageKind, MessagePerturbation, QueuePort } from '../ports.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange } from '../tasks.ts';
import { formatEvent, rebalanceRecommendation, scheduledChange, spotInterruptionWarning, stateChange } from './event-bodies.ts';
import type { EventContent } from './event-bodies.ts';
import { drawId, drawUuid } from './ids.ts';
import type { Queue } from './sqs/queue.ts';

/** From an event to its message in the queue. AWS promises nothing; mostly it is well below a second. */
const EVENT_DELAY: DelayRange = { minMs: 100, maxMs: 2_000 };

/** A perturbation that is armed. */
interface Armed {
  readonly perturbation: Parameters<QueuePort['perturb']>[0];
  left: number;
}

/** An event, and what else is known of it. */
interface Publication {
  readonly kind: MessageKind;
  readonly instance: string;
  readonly content: EventContent;
  /** Of a notice that announces an end: how long the instance will still run. */
  readonly endsInMs?: number;
  readonly perturbation?: MessagePerturbation | undefined;
}

/**
 * EventBridge with the rules that Karpenter asks for: state changes of every instance, spot warnings, rebalance
 * recommendations and AWS Health events go to the interruption queue. At least once, and in no promised order.
 */
export class EventBus implements QueuePort {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #region: string;
  readonly #queue: Queue;
  readonly #instances: InstancePort;
  readonly #armed = new Set<Armed>();
  #events = 0;

  constructor(parts: { clock: Clock; random: Random; recorder: Recorder; region: string; queue: Queue; instances: InstancePort }) {
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

  /** EC2 warns that it will take a spot instance back. */
  warn(instance: Instance, endsInMs: number, perturbation?: MessagePerturbation): void {
    this.#publish({ kind: 'spot-interruption', instance: instance.id, content: spotInterruptionWarning(instance), endsInMs, perturbation });
  }

  /** EC2 recommends to replace a spot instance. */
  recommendRebalance(instance: Instance, perturbation?: MessagePerturbation): void {
    this.#publish({ kind: 'rebalance', instance: instance.id, content: rebalanceRecommendation(this.#region, instance), perturbation });
  }

  perturb(perturbation: Armed['perturbation']): Heal {
    const armed = { perturbation, left: perturbation.count ?? Number.POSITIVE_INFINITY };
    this.#armed.add(armed);
    return () => void this.#armed.delete(armed);
  }

  put(stray: Parameters<QueuePort['put']>[0]): Heal {
    const stopping = new AbortController();
    void this.#keepPutting(stray, stopping.signal);
    return () => stopping.abort(new Error('the fault is healed'));
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

  async #keepPutting({ what, periodMs, fired }: Parameters<QueuePort['put']>[0], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const random = this.#next();
      const id = drawId(random, 'i');
      const stamp = { id: drawUuid(random), region: this.#region, atMs: this.#clock.nowMs() };
      const body = formatEvent(stamp, spotInterruptionWarning({ id, zone: `${this.#region}a` }));
      // As if something had cut it off.
      this.#queue.send(what === 'foreign' ? body : body.slice(0, body.indexOf('"detail":{')));
      fired(id);
      await this.#clock.sleep(periodMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  #publish({ kind, instance, content, endsInMs, perturbation }: Publication): void {
    const random = this.#next();
    const body = formatEvent({ id: drawUuid(random), region: this.#region, atMs: this.#clock.nowMs() }, content);
    const ends = endsInMs === undefined ? {} : { endsInMs };
    if (isNotice(kind)) this.#recorder.record({ type: 'notice', instance, kind, to: 'sent', ...ends });
    const perturbations = [...(perturbation === undefined ? [] : [perturbation]), ...this.#strike(kind, instance)];
    let copies = 1;
    let lateMs = 0;
    for (const what of perturbations) {
      if (what.kind === 'lose') copies = 0;
      else if (what.kind === 'duplicate') copies *= what.copies;
      else lateMs += what.delayMs;
    }
    for (let copy = 0; copy < copies; copy += 1) void this.#deliver(drawMs(random, EVENT_DELAY) + lateMs, body, kind, instance);
  }

  async #deliver(delayMs: number, body: string, kind: MessageKind, instance: string): Promise<void> {
    await this.#clock.sleep(delayMs);
    this.#queue.send(body, {
      onReceived: ({ principal, span }) => {
        if (principal === 'target' && isNotice(kind)) this.#recorder.record({ type: 'notice', instance, kind, to: 'received', span });
      },
    });
  }

  /** What armed perturbations do to a message, in the order in which they were armed. */
  #strike(kind: MessageKind, instance: string): MessagePerturbation[] {
    return [...this.#armed].flatMap((armed) => {
      const { kinds, message, fired } = armed.perturbation;
      if (armed.left <= 0 || kinds?.includes(kind) === false) return [];
      armed.left -= 1;
      fired(kind, instance);
      return message;
    });
  }

  #next(): Random {
    this.#events += 1;
    return this.#random.fork(`event ${this.#events}`);
  }
}

function isNotice(kind: MessageKind): kind is NoticeKind {
  return (NOTICE_KINDS as readonly string[]).includes(kind);
}

import { defined } from '../../model/defined.ts';
import type { EventOf, Expectation, HistoryEvent, NewEvent, Truth } from '../events.ts';

/** Bounds of hand-made histories, in milliseconds: small round numbers, all different. */
export const BOUNDS_MS = {
  provision: 100,
  fallback: 200,
  'instance-without-node': 1_000,
  'node-without-instance': 60,
  'launch-lag': 20,
  'pod-lag': 20,
  explain: 30,
  settle: 300,
  'scale-in': 50,
  teardown: 400,
} as const;

/** Builds a history by hand: events get their index automatically, and the time that was set last. */
export class HistoryBuilder {
  readonly events: HistoryEvent[] = [];
  readonly #capabilities: EventOf<'trial.begin'>['world']['capabilities'];
  #nowMs = 0;

  /** @param capabilities of the world; by default those by which a target's requests are seen */
  constructor(capabilities: EventOf<'trial.begin'>['world']['capabilities'] = ['wire.kube', 'wire.aws']) {
    this.#capabilities = capabilities;
  }

  /** Sets the time of the following events. */
  at(ms: number): this {
    this.#nowMs = ms;
    return this;
  }

  add(...events: readonly NewEvent[]): this {
    for (const event of events) this.events.push({ i: this.events.length, t: this.#nowMs, ...event });
    return this;
  }

  begin(): this {
    this.add({
      type: 'trial.begin',
      format: 1,
      scenario: { id: 'test/hand-made', title: 'made by hand', suite: 'test', requirements: [], digest: 'd' },
      seed: 1,
      target: { name: 'reference', features: [], constants: {} },
      world: { name: 'embedded', capabilities: this.#capabilities, allowances: {} },
      startMs: 1_000_000,
    });
    for (const [name, value] of Object.entries(BOUNDS_MS)) {
      this.add({ type: 'bound', bound: { name, value, unit: 'ms', formula: `${value}`, reason: 'by hand' } });
    }
    return this.countBound('runaway', 3).countBound('repeats-a-minute', 60).countBound('empty-answers-a-minute', 20);
  }

  phase(phase: EventOf<'phase'>['phase']): this {
    return this.add({ type: 'phase', phase });
  }

  /** Begins the trial, starts the target, and enters the phase in which the scenario acts. */
  act(): this {
    return this.begin()
      .phase('set-up')
      .add({ type: 'target.start', incarnation: 1 }, { type: 'target.ready', incarnation: 1 })
      .phase('act');
  }

  /** Heals, settles, removes and ends, with one call per phase from now on. */
  finish(waiting: { settle?: Waiting; remove?: Waiting } = {}): this {
    const nowMs = this.#nowMs;
    this.phase('heal').phase('settle');
    this.add({ type: 'convergence', phase: 'settle', waiting: waiting.settle ?? [] });
    this.at(nowMs + 1).phase('remove');
    this.add({ type: 'convergence', phase: 'remove', waiting: waiting.remove ?? [] });
    return this.at(nowMs + 2)
      .phase('over')
      .add({ type: 'trial.end' });
  }

  /** An applied pool. */
  pool(name: string, more: Partial<EventOf<'pool'>['pool']> = {}): this {
    return this.add({ type: 'pool', pool: { name, requirements: [], weight: 0, ...more } });
  }

  /** A bound of unit `count`. */
  countBound(name: string, value: number): this {
    return this.add({ type: 'bound', bound: { name, value, unit: 'count', formula: `${value}`, reason: 'by hand' } });
  }

  workload(workload: string, replicas = 1, truth: Truth = { kind: 'schedulable' }): this {
    return this.add({ type: 'workload', workload, namespace: 'default', replicas, truth, note: '' });
  }

  expect(expectation: Expectation): this {
    return this.add({ type: 'expectation', expectation });
  }

  /** @param name in namespace default; the workload is the part before its last dash */
  pod(name: string, to: EventOf<'pod'>['to'], node?: string, reason?: string): this {
    const workload = name.slice(0, name.lastIndexOf('-'));
    return this.add({
      type: 'pod',
      pod: `default/${name}`,
      uid: `uid-${name}`,
      workload,
      to,
      ...defined({ node, reason }),
    });
  }

  /** A node and, if given, its instance. */
  node(node: string, to: EventOf<'node'>['to'], instance?: string, more: Partial<EventOf<'node'>> = {}): this {
    const backing = instance === undefined ? {} : { instance, providerId: `aws:///us-east-1a/${instance}` };
    return this.add({ type: 'node', node, uid: `uid-${node}`, to, ...backing, ...more });
  }

  claim(claim: string, to: EventOf<'claim'>['to'], instance?: string): this {
    return this.add({ type: 'claim', claim, uid: `uid-${claim}`, to, ...defined({ instance }) });
  }

  instance(instance: string, to: EventOf<'instance'>['to'], more: Partial<EventOf<'instance'>> = {}): this {
    return this.add({
      type: 'instance',
      instance,
      to,
      instanceType: 'm6i.large',
      zone: 'us-east-1a',
      capacityType: 'on-demand',
      usdPerHour: 0.1,
      ...more,
    });
  }

  request(span: number, operation: string, more: Partial<EventOf<'request.start'>> = {}): this {
    const wire = /^(ec2|autoscaling):/.test(operation) ? 'aws' : 'kube';
    return this.add({ type: 'request.start', span, wire, principal: 'target', incarnation: 1, operation, mutating: true, ...more });
  }

  effect(span: number, effect: EventOf<'request.effect'>['effect']): this {
    return this.add({ type: 'request.effect', span, effect });
  }

  answer(span: number, outcome: EventOf<'request.end'>['outcome'], code?: string): this {
    return this.add({ type: 'request.end', span, outcome, ...defined({ code }) });
  }

  /** The target requests an instance and gets it, all at the current time. */
  launch(span: number, instance: string, token = `token-${span}`, more: Partial<EventOf<'instance'>> = {}): this {
    return this.request(span, 'ec2:CreateFleet', { input: { ClientToken: token } })
      .instance(instance, 'pending', { span, token, ...more })
      .effect(span, { kind: 'applied', ids: [instance] })
      .answer(span, 'ok');
  }

  said(message: string, more: Partial<EventOf<'said'>> = {}): this {
    return this.add({ type: 'said', by: 'log', level: 'info', reason: 'log', message, principal: 'target', ...more });
  }

  arm(id: string, firing: 'must-fire' | 'may-fire' = 'must-fire', more: Partial<EventOf<'fault.armed'>['fault']> = {}): this {
    const fault = { id, fault: 'lost-answer', description: `fault ${id}`, params: {}, legal: true, firing, color: 'red', ...more } as const;
    return this.add({ type: 'fault.armed', fault });
  }

  /** @param span the request that it hits; without one it hits the world itself */
  fire(fault: string, span?: number): this {
    return this.add({ type: 'fault.fired', fault, ...defined({ span }) });
  }

  heal(fault: string): this {
    return this.add({ type: 'fault.healed', fault });
  }
}

type Waiting = EventOf<'convergence'>['waiting'];

/** A correct trial in which one pod gets its own node, and everything is removed again. */
export function soundHistory(): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .expect({ kind: 'settled', bound: 'settle' })
    .workload('web')
    .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
    .expect({ kind: 'latency', workload: 'web', from: 'pending', to: 'running', bound: 'provision' })
    .at(10)
    .pod('web-1', 'created')
    .pod('web-1', 'unschedulable')
    .at(20)
    .claim('claim-1', 'created')
    .launch(1, 'i-1')
    .claim('claim-1', 'launched', 'i-1')
    .at(40)
    .instance('i-1', 'running')
    .at(60)
    .node('node-1', 'created', 'i-1')
    .at(70)
    .node('node-1', 'ready', 'i-1')
    .at(80)
    .pod('web-1', 'scheduled', 'node-1')
    .at(90)
    .pod('web-1', 'running', 'node-1')
    .at(200)
    .pod('web-1', 'terminating', 'node-1')
    .pod('web-1', 'gone', 'node-1')
    .at(250)
    .request(2, 'ec2:TerminateInstances')
    .instance('i-1', 'shutting-down', { span: 2 })
    .effect(2, { kind: 'applied', ids: ['i-1'] })
    .answer(2, 'ok')
    .at(260)
    .instance('i-1', 'terminated')
    .node('node-1', 'gone', 'i-1')
    .claim('claim-1', 'gone', 'i-1')
    .at(300)
    .finish();
}

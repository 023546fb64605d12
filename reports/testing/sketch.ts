import { HISTORY_FORMAT } from '../../history/events.ts';
import type { Bound, EventOf, HistoryEvent, NewEvent, Truth } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import { createRandom } from '../../runtime/random.ts';
import type { Random } from '../../runtime/random.ts';

export const BOUNDS: readonly Bound[] = [
  bound('provision', 152_500, 'batchMax + retryPeriod + launch (api + boot + register + ready + bind + podStart + 6 steps)'),
  bound('fallback', 215_500, 'provision + 6 x (retryPeriod + api + watch)'),
  bound('recover', 452_500, 'provision + launchTimeout'),
  bound('explain', 31_000, 'batchMax + 2 x retryPeriod + 2 x api + 2 x watch'),
  bound('launch-lag', 21_000, 'batchMax + retryPeriod + 2 x api + 2 x watch'),
  bound('instance-without-node', 1_053_000, 'registrationTimeout + collection + termination + instanceEnd + 6 steps'),
  bound('settle', 720_000, 'recover + empty + termination + podEnd + instanceEnd + nodeGone + collection'),
  bound('node-without-instance', 205_000, 'nodeGone + collection + termination + podEnd + 6 steps'),
  { ...bound('runaway', 3, '3 instances per pod and static node at their peak number'), unit: 'count', loose: 'a loop knows no number' },
  { ...bound('repeats-a-minute', 60, '3 x (14 + 60 s / retryPeriod) times'), unit: 'count' },
  { ...bound('empty-answers-a-minute', 20, '14 + 60 s / retryPeriod times'), unit: 'count' },
  bound('teardown', 245_000, 'empty + termination + podEnd + instanceEnd + nodeGone + collection + retryPeriod'),
];

function bound(name: string, value: number, formula: string): Bound {
  return { name, value, unit: 'ms', formula: `${formula} = ${value / 1000} s`, reason: 'what a conforming autoscaler needs at most' };
}

export const TARGET = {
  name: 'reference',
  features: ['spot', 'node-claims', 'launch-replay'],
  constants: {
    batchMaxMs: 10_000,
    retryPeriodMs: 10_000,
    launchTimeoutMs: 300_000,
    registrationTimeoutMs: 900_000,
    collectionMs: 120_000,
    emptyAfterMs: 30_000,
  },
};

export const WORLD: EventOf<'trial.begin'>['world'] = {
  name: 'embedded',
  capabilities: ['time.virtual', 'wire.kube', 'wire.aws', 'capacity.set', 'target.kill', 'instances.observe', 'objects.observe'],
  allowances: { apiMs: 250, watchMs: 500, bootMs: 60_000, registerMs: 10_000, readyMs: 20_000, bindMs: 1_000, podStartMs: 15_000 },
};

/** A pod that is waiting for a node. */
export interface SketchedPod {
  readonly name: string;
  readonly uid: string;
}

/** An instance that a fleet launched, with its node. */
export interface SketchedNode {
  readonly instance: string;
  readonly node: string;
  readonly uid: string;
  readonly claim: string;
  readonly shape: Shape;
}

interface Shape {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: 'spot' | 'on-demand';
  readonly usdPerHour: number;
}

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** The digest of every sketched scenario. */
export const DRAWN_DIGEST = 'd1'.repeat(32);

/** Builds a history like one recorded by a world, from events in any order of time. It is typed, so that events stay valid. */
export class Sketch {
  readonly random: Random;
  incarnation = 1;
  readonly #events: { readonly t: number; readonly order: number; readonly event: NewEvent }[] = [];
  #span = 0;

  constructor(scenario: { readonly id: string; readonly title: string; readonly suite: string }, seed: number) {
    this.random = createRandom(seed).fork(scenario.id);
    this.at(0, {
      type: 'trial.begin',
      format: HISTORY_FORMAT,
      scenario: { ...scenario, requirements: ['PROV-1'], digest: DRAWN_DIGEST },
      seed,
      target: TARGET,
      world: WORLD,
      startMs: 1_767_225_600_000,
    });
    for (const one of BOUNDS) this.at(0, { type: 'bound', bound: one });
    this.at(0, { type: 'phase', phase: 'set-up' });
    this.start(120);
    this.at(2_400, { type: 'phase', phase: 'act' });
  }

  at(t: number, event: NewEvent): void {
    this.#events.push({ t: Math.round(t), order: this.#events.length, event });
  }

  /** The events in order of time, with indexes. */
  finish(): HistoryEvent[] {
    const ordered = [...this.#events].sort((a, b) => a.t - b.t || a.order - b.order);
    return ordered.map(({ t, event }, i): HistoryEvent => ({ ...event, i, t }));
  }

  start(t: number): void {
    this.at(t, { type: 'target.start', incarnation: this.incarnation });
    ['pods', 'nodes', 'nodeclaims', 'nodepools'].forEach((object, index) => {
      this.at(t + 100 + index * 12, {
        type: 'watch.open',
        span: this.#nextSpan(),
        principal: 'target',
        incarnation: this.incarnation,
        object,
      });
      this.request(t + 60 + index * 12, { operation: `list ${object}` });
    });
    this.request(t + 130, { operation: 'ec2:DescribeInstanceTypes' });
    this.at(t + 1_900, { type: 'target.ready', incarnation: this.incarnation });
  }

  /** A request of the target. Returns its span. */
  request(
    t: number,
    options: {
      readonly operation: string;
      readonly object?: string;
      readonly ids?: readonly string[];
      readonly rejected?: string;
      readonly end?: 'ok' | 'fail' | 'info' | 'none';
      readonly status?: number;
      readonly code?: string;
      readonly note?: string;
      readonly tookMs?: number;
    },
  ): number {
    const { operation, object, ids, rejected, end = 'ok', status = 200, code, note, tookMs = this.random.int(8, 90) } = options;
    const span = this.#nextSpan();
    const aws = operation.startsWith('ec2:');
    const mutating = aws ? !operation.includes(':Describe') : !/^(get|list|watch) /.test(operation);
    this.at(t, {
      type: 'request.start',
      span,
      wire: aws ? 'aws' : 'kube',
      principal: 'target',
      incarnation: this.incarnation,
      operation,
      mutating,
      ...defined({ object }),
    });
    if (rejected !== undefined) this.at(t + tookMs / 2, { type: 'request.effect', span, effect: { kind: 'rejected', code: rejected } });
    else
      this.at(t + tookMs / 2, {
        type: 'request.effect',
        span,
        effect: ids === undefined ? { kind: 'none' } : { kind: 'applied', ids: [...ids] },
      });
    if (end !== 'none') {
      this.at(t + tookMs, {
        type: 'request.end',
        span,
        outcome: end,
        ...(end === 'info' ? {} : { status }),
        ...defined({ code, note }),
      });
    }
    return span;
  }

  /** Periodic polls of the target. */
  polls(fromMs: number, toMs: number, periodMs = 10_000): void {
    for (let t = fromMs; t < toMs; t += periodMs) {
      this.request(t + this.random.int(0, 400), { operation: 'ec2:DescribeInstances' });
      if (this.random.chance(0.6))
        this.request(t + this.random.int(400, 4_000), {
          operation: 'patch leases',
          object: 'leases/kube-system/autoscaler',
          ids: ['leases/kube-system/autoscaler'],
        });
    }
  }

  deploy(
    t: number,
    name: string,
    replicas: number,
    options: { readonly note?: string; readonly truth?: Truth; readonly expect?: string } = {},
  ): SketchedPod[] {
    const { note = `${replicas} pods of 1500m CPU and 2Gi`, truth = { kind: 'schedulable' }, expect } = options;
    this.at(t, { type: 'workload', workload: name, namespace: 'default', replicas, truth, note });
    if (expect !== undefined)
      this.at(t, { type: 'expectation', expectation: { kind: 'served', workload: name, bound: expect, minRatio: 1 } });
    return Array.from({ length: replicas }, (_, index) => {
      const pod = { name: `default/${name}-${this.random.hex(5)}`, uid: `${name}-${index}` };
      const created = t + 20 + index * 15;
      this.at(created, { type: 'pod', pod: pod.name, uid: pod.uid, workload: name, to: 'created' });
      this.at(created + 30, { type: 'pod', pod: pod.name, uid: pod.uid, to: 'unschedulable', reason: '0/0 nodes are available' });
      return pod;
    });
  }

  shape(index: number, capacityType: 'spot' | 'on-demand' = 'on-demand'): Shape {
    return {
      instanceType: this.random.pick(['m6i.large', 'm6a.large', 'm7i.large']),
      zone: ZONES[index % 3] ?? 'us-east-1a',
      capacityType,
      usdPerHour: 0.096,
    };
  }

  /** A claim and the fleet that serves it; the instance runs, its node registers and becomes Ready by default. */
  launch(
    t: number,
    index: number,
    options: {
      readonly capacityType?: 'spot' | 'on-demand';
      readonly end?: 'ok' | 'info' | 'none';
      readonly nodeless?: boolean;
      readonly claim?: string;
    } = {},
  ): SketchedNode {
    const { capacityType, end = 'ok', nodeless = false } = options;
    const shape = this.shape(index, capacityType);
    const claim = options.claim ?? `default-${this.random.hex(5)}`;
    const made: SketchedNode = {
      instance: `i-0${this.random.hex(16)}`,
      node: `ip-10-0-${this.random.int(0, 63)}-${this.random.int(4, 250)}.ec2.internal`,
      uid: `node-${this.random.hex(8)}`,
      claim,
      shape,
    };
    if (options.claim === undefined) {
      this.request(t - 600, { operation: 'create nodeclaims', object: `nodeclaims/${claim}`, ids: [`nodeclaims/${claim}`], status: 201 });
      this.at(t - 560, { type: 'claim', claim, uid: claim, to: 'created' });
    }
    const tookMs = this.random.int(900, 2_400);
    const token = `sp-${this.random.hex(16)}`;
    const span = this.request(t, {
      operation: 'ec2:CreateFleet',
      ids: [made.instance],
      end,
      tookMs,
      ...(end === 'ok' ? { note: `instances: ${made.instance}` } : {}),
    });
    this.at(t + tookMs / 2, { type: 'instance', instance: made.instance, to: 'pending', ...shape, span, token });
    this.at(t + this.random.int(9_000, 16_000), { type: 'instance', instance: made.instance, to: 'running', ...shape });
    if (nodeless) return made;
    const registered = t + this.random.int(28_000, 45_000);
    this.at(t + tookMs + 90, { type: 'claim', claim, uid: claim, to: 'launched', instance: made.instance });
    this.at(registered, {
      type: 'node',
      node: made.node,
      uid: made.uid,
      to: 'created',
      instance: made.instance,
      zone: shape.zone,
      providerId: `aws:///${shape.zone}/${made.instance}`,
    });
    this.at(registered + 700, { type: 'claim', claim, uid: claim, to: 'registered', instance: made.instance, node: made.node });
    const ready = registered + this.random.int(6_000, 14_000);
    this.at(ready, { type: 'node', node: made.node, uid: made.uid, to: 'ready' });
    this.at(ready + 900, { type: 'claim', claim, uid: claim, to: 'initialized', node: made.node });
    return made;
  }

  run(pod: SketchedPod, on: SketchedNode, readyMs: number): void {
    const bound = readyMs + this.random.int(100, 900);
    this.at(bound, { type: 'pod', pod: pod.name, uid: pod.uid, to: 'scheduled', node: on.node });
    this.at(bound + this.random.int(2_000, 6_000), { type: 'pod', pod: pod.name, uid: pod.uid, to: 'running', node: on.node });
  }

  endPod(t: number, pod: SketchedPod): void {
    this.at(t, { type: 'pod', pod: pod.name, uid: pod.uid, to: 'terminating' });
    this.at(t + this.random.int(400, 2_500), { type: 'pod', pod: pod.name, uid: pod.uid, to: 'gone' });
  }

  /** The target removes a node: cordon, terminate, gone. */
  endNode(t: number, made: SketchedNode): void {
    this.request(t, { operation: 'patch nodes', object: `nodes/${made.node}`, ids: [`nodes/${made.node}`] });
    this.at(t + 60, { type: 'node', node: made.node, uid: made.uid, to: 'cordoned' });
    this.at(t + 300, { type: 'claim', claim: made.claim, uid: made.claim, to: 'terminating' });
    const span = this.request(t + 1_200, { operation: 'ec2:TerminateInstances', ids: [made.instance] });
    this.at(t + 1_260, { type: 'instance', instance: made.instance, to: 'shutting-down', ...made.shape, span });
    this.at(t + 9_000 + this.random.int(0, 8_000), { type: 'instance', instance: made.instance, to: 'terminated', ...made.shape });
    this.at(t + 20_000, { type: 'node', node: made.node, uid: made.uid, to: 'gone' });
    this.at(t + 20_400, { type: 'claim', claim: made.claim, uid: made.claim, to: 'gone' });
  }

  /** The last phases. */
  close(
    times: { readonly healMs: number; readonly removeMs: number; readonly overMs: number },
    left: readonly string[] = [],
  ): HistoryEvent[] {
    const { healMs, removeMs, overMs } = times;
    this.at(healMs, { type: 'phase', phase: 'heal' });
    this.at(healMs + 1, { type: 'phase', phase: 'settle' });
    this.at(removeMs - 1, { type: 'convergence', phase: 'settle', waiting: [] });
    this.at(removeMs, { type: 'phase', phase: 'remove' });
    this.at(overMs - 1, { type: 'convergence', phase: 'remove', waiting: left.map((object) => ({ object, why: 'is still live' })) });
    this.at(overMs, { type: 'phase', phase: 'over' });
    this.at(overMs + 400, { type: 'trial.end' });
    return this.finish();
  }

  #nextSpan(): number {
    this.#span += 1;
    return this.#span;
  }
}

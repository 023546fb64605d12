import type { KubeClient } from '../../clients/kube-client.ts';
import type { Pod } from '../../model/kube.ts';
import { parseResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { Semaphore } from '../../runtime/semaphore.ts';
import { attempt } from './attempt.ts';
import { bySize, estimateAllocatable } from './capacity.ts';
import type { Shape } from './capacity.ts';
import { offeringsOf } from './groups.ts';
import type { Offering } from './groups.ts';
import type { Launch, Launches } from './launches.ts';
import { hasKubelet } from './look.ts';
import type { Look } from './look.ts';
import { isDenied, isNoTemplate, isThrottling } from './machines.ts';
import type { LaunchEnd, LaunchError, Machines } from './machines.ts';
import { PLAIN } from './periods.ts';
import { planScaleUp } from './plan.ts';
import { isUnschedulable } from './pods.ts';
import { placementsIn, roomsIn } from './rooms.ts';
import { PodEvents } from './pod-events.ts';

/** Launches that are sent in parallel. */
const LAUNCHES_AT_ONCE = 10;
/** So many types have to have less memory than estimated before the same is assumed of others. */
const TYPES_SHOW_ALL = 2;

/** Launches instances for pods that fit on no node. */
export class ScaleUp {
  readonly #runtime: Runtime;
  readonly #machines: Machines;
  readonly #launches: Launches;
  readonly #events: PodEvents;
  /** The allocatable resources last seen on nodes of a type, until they are forgotten: an image may have been mended since. */
  readonly #allocatable = new Map<string, { readonly allocatable: Resources; readonly untilMs: number }>();
  /** Until when an offering is avoided, by type and zone. */
  readonly #unavailableUntilMs = new Map<string, number>();

  constructor(runtime: Runtime, kube: KubeClient, machines: Machines, launches: Launches) {
    this.#runtime = runtime;
    this.#machines = machines;
    this.#launches = launches;
    this.#events = new PodEvents(runtime, kube);
  }

  /** @returns the names of nodes that are about to get pods. @throws KubeError, Ec2Error, ConfigError */
  async run(look: Look): Promise<ReadonlySet<string>> {
    this.#learn(look);
    const nodes = new Set(look.nodes.map(({ metadata }) => metadata.name));
    // A pod with a nominated node waits for preemption there.
    const pending = look.pods.filter((pod) => isUnschedulable(pod) && !nodes.has(pod.status?.nominatedNodeName));
    if (pending.length === 0) return new Set();
    await this.#sendAll(this.#launches.unanswered());
    const { served, unserved, launches, awaited } = await this.#plan(look, pending);
    await this.#launch(launches);
    const events = [
      ...served.map(({ pod, offering: { group, instanceType, zone } }) => {
        return { pod, reason: 'TriggeredScaleUp' as const, message: `group ${group.name} grows for it: ${instanceType} in ${zone}` };
      }),
      ...unserved.map(({ pod, why }) => ({ pod, reason: 'NotTriggerScaleUp' as const, message: `no group grows for it: ${why}` })),
    ];
    await this.#events.publish(events, pending);
    return awaited;
  }

  async #plan(look: Look, pending: readonly Pod[]): Promise<ReturnType<typeof planScaleUp>> {
    const { groups, daemonSets, nowMs } = look;
    const offerings = [...groups.values()].flatMap(offeringsOf);
    const shapes = await this.#machines.shapesOf([...offerings, ...look.machines].map(({ instanceType }) => instanceType));
    const estimateOf = (type: string): Resources => {
      const shape = shapes.get(type);
      return shape === undefined ? {} : estimateAllocatable(shape);
    };
    const share = this.#shareOfMemory(estimateOf);
    const allocatableOf = (type: string): Resources => {
      const { memory = 0, ...rest } = estimateOf(type);
      return this.#allocatable.get(type)?.allocatable ?? { ...rest, memory: Math.floor(memory * share) };
    };
    // Launches that were just repeated may have succeeded.
    const known = new Set(look.machines.map(({ id }) => id));
    const machines = [...look.machines, ...this.#launches.machines().filter(({ id }) => !known.has(id))];
    const unanswered = this.#launches.unanswered().flatMap((launch) => Array.from({ length: launch.count }, () => launch));
    const rooms = roomsIn(look, { machines, unanswered }, allocatableOf);
    return planScaleUp({
      pending,
      rooms,
      offerings: inOrder(offerings, shapes),
      isAvailable: (offering) => (this.#unavailableUntilMs.get(keyOf(offering)) ?? 0) <= nowMs,
      shapeOf: (type) => shapes.get(type),
      allocatableOf,
      daemonSets,
      holdings: [...machines.filter(({ state }) => state !== 'over'), ...unanswered],
      placements: placementsIn(look, rooms),
    });
  }

  /** The share of the estimated memory that all types seen so far have, if they are several: what takes the rest is hardly the type. */
  #shareOfMemory(estimateOf: (type: string) => Resources): number {
    if (this.#allocatable.size < TYPES_SHOW_ALL) return 1;
    const shares = [...this.#allocatable].map(([type, { allocatable }]) => {
      const { memory: estimated = 0 } = estimateOf(type);
      return estimated > 0 ? (allocatable['memory'] ?? 0) / estimated : 1;
    });
    return Math.min(1, Math.max(...shares));
  }

  /** Machines may have less than their type suggests. */
  #learn({ machines, nodeOf, nowMs }: Look): void {
    const seen = new Map<string, Resources>();
    for (const { id, instanceType } of machines) {
      const node = nodeOf.get(id);
      if (node === undefined || !hasKubelet(node)) continue;
      const allocatable = parseResources(node.status?.allocatable);
      const least = seen.get(instanceType);
      if (least === undefined || (allocatable['memory'] ?? 0) < (least['memory'] ?? 0)) seen.set(instanceType, allocatable);
    }
    for (const [type, allocatable] of seen) this.#allocatable.set(type, { allocatable, untilMs: nowMs + PLAIN.sizesKeptMs });
    for (const [type, { untilMs }] of this.#allocatable) if (untilMs <= nowMs) this.#allocatable.delete(type);
  }

  async #launch(planned: readonly { readonly offering: Offering; readonly count: number }[]): Promise<void> {
    const { clock, random, log } = this.#runtime;
    const launches: Launch[] = [];
    for (const { offering, count } of planned) {
      const { group, instanceType, zone } = offering;
      const template = await attempt(log, `group ${group.name} has no launch template`, () => {
        return this.#machines.ensureTemplate(group, instanceType);
      });
      if (template === undefined) continue;
      launches.push({ token: random.hex(32), group: group.name, instanceType, zone, template, count, sinceMs: clock.nowMs() });
    }
    if (launches.length === 0) return;
    await this.#launches.begin(launches);
    await this.#sendAll(launches);
  }

  async #sendAll(launches: readonly Launch[]): Promise<void> {
    const lanes = new Semaphore(LAUNCHES_AT_ONCE);
    await Promise.all(launches.map((launch) => lanes.run(async () => this.#note(launch, await this.#machines.launch(launch)))));
  }

  #note(launch: Launch, end: LaunchEnd): void {
    const { log, clock } = this.#runtime;
    const { token, group, count, instanceType, zone } = launch;
    if (end.kind === 'unknown')
      return log('warn', `a launch of group ${group} got no response and may have happened`, { error: end.errors[0]?.message });
    const ids = end.kind === 'answered' ? end.ids : [];
    this.#launches.answered(token, ids);
    if (ids.length >= count) return;
    const errors = end.errors.map(({ code, message }) => `${code}: ${message}`).join('; ');
    log('warn', `group ${group} could not grow as requested: ${instanceType} in ${zone}`, { errors });
    if (end.errors.length === 0 || !end.errors.every(isNoOfferings))
      this.#unavailableUntilMs.set(keyOf(launch), clock.nowMs() + PLAIN.unavailableMs);
  }
}

function keyOf({ instanceType, zone }: Pick<Launch, 'instanceType' | 'zone'>): string {
  return `${instanceType}/${zone}`;
}

/** Whether a launch failed for a reason unrelated to its offerings, so that it would fail elsewhere too. */
function isNoOfferings(error: LaunchError): boolean {
  return isThrottling(error) || isDenied(error) || isNoTemplate(error) || error.code === 'IdempotentParameterMismatch';
}

/** The offerings of existing types, in the order in which they are tried. */
function inOrder(offerings: readonly Offering[], shapes: ReadonlyMap<string, Shape>): Offering[] {
  const known = offerings.flatMap((offering) => {
    const shape = shapes.get(offering.instanceType);
    return shape === undefined ? [] : [{ offering, shape }];
  });
  return known.sort((a, b) => bySize(a.shape, b.shape)).map(({ offering }) => offering);
}

import { createRandom } from '../../../runtime/random.ts';
import { SchedulerCache } from '../../../world/scheduler/cache.ts';
import { decide } from '../../../world/scheduler/decide.ts';
import type { Decision } from '../../../world/scheduler/decide.ts';
import { FOLLOWED } from '../../../world/scheduler/object-cache.ts';
import type { Followed } from '../../../world/scheduler/object-cache.ts';
import { podInfo } from '../../../world/scheduler/pod-info.ts';
import type { PodInfo } from '../../../world/scheduler/pod-info.ts';
import type { SchedulerCase } from './cases/case.ts';

/** Seeds for breaking ties: enough that each of a few equals is chosen at least once. */
const SEEDS = 60;

/** A case without what is expected of it. */
export type OpenCase = Omit<SchedulerCase, 'expected' | 'source'>;

/** What the emulated scheduler may do: it chooses among equals at random. */
export interface Choices {
  readonly nodes: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  /** Victims by nominated node, sorted by name. */
  readonly preemptions: ReadonlyMap<string, readonly string[]>;
}

/** The cluster of a case as the emulated scheduler knows it. */
export function clusterOf({ nodes, objects = [], pods = [] }: OpenCase): SchedulerCache {
  const cache = new SchedulerCache();
  for (const { resource, object } of objects) {
    const followed: readonly string[] = FOLLOWED;
    // Other objects are only for the admission of pods.
    if (followed.includes(resource)) cache.objects.set(resource as Followed, object);
  }
  for (const node of nodes) cache.setNode(node);
  for (const one of pods) {
    const { spec, status } = one;
    if (spec.nodeName === undefined) cache.nominate(podInfo(one), status?.nominatedNodeName);
    else cache.assign(podInfo(one), spec.nodeName);
  }
  return cache;
}

/** The decisions of the emulated scheduler about a pod, one per seed. */
export function decisionsOf(info: PodInfo, cache: SchedulerCache): Decision[] {
  return Array.from({ length: SEEDS }, (_, seed) => decide(info, cache, createRandom(seed)));
}

export function choicesOf(decisions: readonly Decision[]): Choices {
  const [nodes, messages, preemptions] = [new Set<string>(), new Set<string>(), new Map<string, readonly string[]>()];
  for (const decision of decisions) {
    if (decision.kind === 'node') nodes.add(decision.nodeName);
    else {
      messages.add(decision.message);
      if (decision.preemption !== undefined)
        preemptions.set(decision.preemption.nodeName, decision.preemption.victims.map(({ pod }) => pod.metadata.name ?? '').sort());
    }
  }
  return { nodes, messages, preemptions };
}

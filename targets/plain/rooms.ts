import { LABEL } from '../../model/kube.ts';
import type { DaemonSet, Node, Taint } from '../../model/kube.ts';
import { subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { daemonRequests, freeOn } from './capacity.ts';
import { labelsOf } from './groups.ts';
import type { Offering } from './groups.ts';
import { createdMs, isReady, readySinceMs } from './look.ts';
import type { Look } from './look.ts';
import type { Machine } from './machine.ts';
import { PLAIN } from './periods.ts';
import { Placements } from './placement.ts';
import type { Holding, Room } from './plan.ts';
import { isActive, occupantsOf } from './pods.ts';
import { isLeaving } from './scale-down.ts';

/** After a node has been Ready for this long, the scheduler has tried every pod on it. */
const TRIED_AFTER_MS = 30_000;
/** Kubernetes' own taints of a node until it is up. */
const PASSING_TAINT = /^node\.(cloudprovider\.)?kubernetes\.io\//;

/**
 * Where pods may go without a launch: on nodes that the scheduler may not have tried yet, and on launches in progress.
 * @param machines existing ones, including all launched so far
 * @param unanswered launches that may have happened, one entry per instance
 */
export function roomsIn(
  look: Look,
  { machines, unanswered }: { readonly machines: readonly Machine[]; readonly unanswered: readonly Holding[] },
  allocatableOf: (instanceType: string) => Resources,
): Room[] {
  const { groups, daemonSets } = look;
  const coming = [...machines.filter((machine) => isComing(machine, look)), ...unanswered].flatMap(
    ({ group: name, instanceType, zone }) => {
      const group = groups.get(name);
      return group === undefined ? [] : [{ group, instanceType, zone }];
    },
  );
  return [
    ...machines.flatMap((machine) => roomOnNode(machine, look)),
    ...coming.map((offering, index) => newRoom(offering, `coming-${index}`, daemonSets, allocatableOf(offering.instanceType))),
  ];
}

/** The room on a new node of an offering. @param allocatable what such a node has for pods, including DaemonSet pods */
function newRoom(offering: Offering, hostname: string, daemonSets: readonly DaemonSet[], allocatable: Resources): Room {
  const { taints } = offering.group;
  const labels = { ...labelsOf(offering), [LABEL.hostname]: hostname };
  return { labels, taints, free: subtractResources(allocatable, daemonRequests(daemonSets, { labels, taints })) };
}

/** Where pods are now, on existing and future nodes. */
export function placementsIn({ nodes, pods }: Look, rooms: readonly Room[]): Placements {
  const labelsByNode = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const placed = pods.flatMap((pod) => {
    const node = labelsByNode.get(pod.spec.nodeName);
    return node === undefined || pod.metadata.deletionTimestamp !== undefined || !isActive(pod) ? [] : [{ pod, node }];
  });
  const coming = rooms.filter(({ node }) => node === undefined).map(({ labels }) => labels);
  return new Placements([...labelsByNode.values(), ...coming], placed);
}

/** Whether an instance is still becoming a node. */
function isComing({ id, group, state, launchedMs }: Machine, { nodeOf, joined, groups, nowMs }: Look): boolean {
  const isYoung = nowMs - launchedMs < PLAIN.registrationTimeoutMs;
  return state === 'live' && isYoung && groups.has(group) && !nodeOf.has(id) && !joined.has(id);
}

/** The room on a node that the scheduler may not have tried yet; for others the scheduler's result counts. */
function roomOnNode(machine: Machine, look: Look): Room[] {
  const node = look.nodeOf.get(machine.id);
  const group = look.groups.get(machine.group);
  if (node === undefined || group === undefined || machine.state !== 'live' || isClosed(node)) return [];
  const { pods, daemonSets, nowMs } = look;
  const isNew = isReady(node) ? nowMs - readySinceMs(node) < TRIED_AFTER_MS : nowMs - createdMs(node) < PLAIN.readyWithinMs;
  if (!isNew && (!isReady(node) || occupantsOf(node, pods, nowMs).length > 0)) return [];
  const taints: readonly Taint[] = (node.spec?.taints ?? []).filter(({ key }) => !PASSING_TAINT.test(key));
  const labels = { ...labelsOf({ ...machine, group }), ...node.metadata.labels };
  return [{ node: node.metadata.name ?? '', labels, taints, free: freeOn(node, pods, daemonSets, taints) }];
}

function isClosed(node: Node): boolean {
  return isLeaving(node) || node.spec?.unschedulable === true || node.metadata.deletionTimestamp !== undefined;
}

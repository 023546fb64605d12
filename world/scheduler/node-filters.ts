import { matchesNode } from '../../model/requirements.ts';
import { REPELLING, tolerates, untolerated } from '../../model/taints.ts';
import type { NodeInfo } from './node-info.ts';
import { ANY_ADDRESS } from './pod-info.ts';
import type { HostPort, PodInfo } from './pod-info.ts';
import { resolvable, unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Whether a node matches the pod's node selector and required node affinity. */
export function suitsNode({ alternatives }: PodInfo, { name, labels }: NodeInfo): boolean {
  return alternatives === undefined || matchesNode(alternatives, name, labels);
}

/** The filters that check one node alone, up to NodeResourcesFit, in the order of the plugins: the first rejection counts. */
export function rejectionByNode(pod: PodInfo, node: NodeInfo): Rejection | undefined {
  const { tolerations = [], nodeName = '' } = pod.pod.spec;
  if (node.node.spec?.unschedulable === true && !tolerations.some((one) => tolerates(one, CORDON))) {
    return unresolvable('NodeUnschedulable', 'node(s) were unschedulable');
  }
  if (nodeName !== '' && nodeName !== node.name) return unresolvable('NodeName', "node(s) didn't match the requested node name");
  if (untolerated(node.taints, tolerations, REPELLING) !== undefined) {
    return unresolvable('TaintToleration', 'node(s) had untolerated taint(s)');
  }
  if (!suitsNode(pod, node)) return unresolvable('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (pod.hostPorts.length > 0 && takesPorts(pod.hostPorts, node)) {
    return resolvable('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  }
  return resourceRejection(pod, node);
}

function takesPorts(wanted: readonly HostPort[], { load }: NodeInfo): boolean {
  for (const { hostPorts } of load.pods.values()) {
    if (hostPorts.some((taken) => wanted.some((one) => collide(one, taken)))) return true;
  }
  return false;
}

function collide(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS);
}

/** NodeResourcesFit: all insufficient resources, by name. Eviction can't help if even the empty node has too little. */
function resourceRejection({ requests }: PodInfo, { allocatable, load }: NodeInfo): Rejection | undefined {
  let reasons: string[] | undefined;
  let lacking = false;
  for (const name in requests) {
    const amount = requests[name] ?? 0;
    const there = allocatable[name] ?? 0;
    if (amount <= 0 || amount <= there - load.requested(name)) continue;
    reasons ??= [];
    reasons.push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`);
    lacking ||= name !== 'pods' && amount > there;
  }
  if (reasons === undefined) return undefined;
  return lacking ? unresolvable('NodeResourcesFit', ...reasons) : resolvable('NodeResourcesFit', ...reasons);
}

/**
 * The only nodes that a pod can go to because all its affinity terms name nodes, as the PreFilter of NodeAffinity determines
 * them; undefined if it may go anywhere.
 */
export function namedNodes({ pod }: PodInfo): ReadonlySet<string> | undefined {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.flatMap(({ key, operator, values = [] }) => (key === 'metadata.name' && operator === 'In' ? [values] : []));
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((list) => list.includes(name))) names.add(name);
  }
  return terms.length === 0 ? undefined : names;
}

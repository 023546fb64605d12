import { parseRequirements } from '../../model/requirements.ts';
import { allows } from '../../model/requirements.ts';
import { fits, formatResources, shortages } from '../../model/resources.ts';
import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { conflicts } from './host-ports.ts';
import { describeShortfall, findShortfall } from './minimum-values.ts';
import type { PodClass } from './pod-class.ts';
import type { Rule } from './rule.ts';
import type { Option, PoolOptions } from './types.ts';

/** Explains why no node can take pods of a class, pool by pool, with the field or requirement that prevents it. */
export function explainRefusal(
  podClass: PodClass,
  rules: readonly Rule[],
  pools: readonly PoolOptions[],
  withinLimits: (pool: PoolOptions) => readonly Option[],
): string {
  if (pools.length === 0) return 'no node has room for it, and there is no NodePool to launch one from';
  const reasons = pools.map((pool) => `NodePool ${pool.name}: ${explainPool(podClass, rules, pool, withinLimits)}`);
  return `no node has room for it, and none can be launched: ${reasons.join('; ')}`;
}

function explainPool(
  podClass: PodClass,
  rules: readonly Rule[],
  pool: PoolOptions,
  withinLimits: (pool: PoolOptions) => readonly Option[],
): string {
  const taint = podClass.avoided(pool.taints);
  if (taint !== undefined) return `did not tolerate taint ${taint.key}=${taint.value ?? ''}:${taint.effect}`;
  const all = [...pool.options, ...pool.unavailable];
  if (all.length === 0) return 'its requirements leave no instance type in any zone';
  const { filter } = podClass;
  // The labels of a type's options differ by zone and capacity type only.
  const isAllowed = remembered(
    (option: Option) => (filter.asksForPlace ? option : option.type),
    (option) => filter.allowsOption(option, pool.open),
  );
  const allowed = all.filter(isAllowed);
  if (allowed.length === 0) return explainRequirements(podClass, all);
  const isLargeEnough = remembered(
    ({ room }: Option) => room,
    ({ room }) => fits(podClass.requests, room),
  );
  const fitting = allowed.filter(isLargeEnough);
  if (fitting.length === 0) return explainResources(podClass.requests, allowed);
  if (conflicts(podClass.hostPorts, pool.hostPorts)) return 'a DaemonSet takes its host port (spec.containers.ports)';
  const open = new Set(withinLimits(pool));
  const unavailable = new Set(pool.unavailable);
  if (fitting.every((option) => unavailable.has(option))) {
    return `insufficient capacity: all ${fitting.length} offerings that it could use had none when last asked for`;
  }
  if (!fitting.some((option) => open.has(option))) {
    return `limits leave no room: ${JSON.stringify(formatResources(pool.remaining))} before this batch`;
  }
  const possible = fitting.filter((option) => open.has(option));
  const short = findShortfall(pool.minimums, possible);
  if (short !== undefined) return describeShortfall(short);
  for (const rule of rules) {
    const reason = rule.explain(possible);
    if (reason !== undefined) return reason;
  }
  return rules.length === 0 ? 'it fits on no node that may be launched now' : TOPOLOGY;
}

/** The same answer for all options with the same key. */
function remembered(keyOf: (option: Option) => object, answerTo: (option: Option) => boolean): (option: Option) => boolean {
  const known = new Map<object, boolean>();
  return (option) => {
    const key = keyOf(option);
    const answer = known.get(key) ?? answerTo(option);
    known.set(key, answer);
    return answer;
  };
}

const TOPOLOGY = 'spec.topologySpreadConstraints and spec.affinity cannot all be met at once';

/** Names the requirements that no option of the pool satisfies, or all of them if each can be satisfied alone. */
function explainRequirements(podClass: PodClass, options: readonly Option[]): string {
  const stated = statedRequirements(podClass);
  const unmet = stated.filter(({ requirement }) => {
    const set = parseRequirements([requirement]).get(requirement.key);
    return set === undefined || !options.some((option) => allows(set, option.labels[requirement.key]));
  });
  const shown = (unmet.length > 0 ? unmet : stated).map(({ field, requirement: { key, operator, values } }) => {
    return `${field} ${key} ${operator}${values === undefined ? '' : ` [${values.join(', ')}]`}`;
  });
  return `no offering meets ${unmet.length > 0 ? '' : 'together '}${shown.join(', ') || 'spec.affinity.nodeAffinity, which has no terms'}`;
}

function statedRequirements(podClass: PodClass): { field: string; requirement: NodeSelectorRequirement }[] {
  const { spec, volumeTerms = [] } = podClass.pod;
  const { nodeSelector = {}, affinity } = spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return [
    ...Object.entries(nodeSelector).map(([key, value]) => ({
      field: 'spec.nodeSelector',
      requirement: { key, operator: 'In' as const, values: [value] },
    })),
    ...terms.flatMap((term) =>
      [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map((requirement) => ({
        field: 'spec.affinity.nodeAffinity',
        requirement,
      })),
    ),
    ...volumeTerms.flatMap(({ matchExpressions = [] }) =>
      matchExpressions.map((requirement) => ({ field: 'the topology of its volumes', requirement })),
    ),
  ];
}

function explainResources(requests: PodClass['requests'], options: readonly Option[]): string {
  const formatted = formatResources(requests);
  const alwaysShort = Object.keys(requests).filter((name) => options.every((option) => shortages(requests, option.room).includes(name)));
  const names = alwaysShort.length > 0 ? alwaysShort : Object.keys(requests);
  const shown = names.map((name) => `${name}: ${formatted[name] ?? '0'}`).join(', ');
  return `no instance type that it could use has ${shown} for pods (spec.containers.resources)`;
}

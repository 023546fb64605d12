import type { Pod, PodAffinity, PodAffinityTerm, ResourceList } from '../../../model/kube.ts';
import { formatQuantity, parseQuantity } from '../../../model/quantity.ts';
import type { Quantity } from '../../../model/quantity.ts';
import { formatResources, podLimits, podRequests } from '../../../model/resources.ts';
import { refused } from '../../../protocols/kube/status.ts';
import { groupResource } from '../resource.ts';
import { isJsonObject } from '../../../protocols/kube/json.ts';
import { defined } from '../../../model/defined.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, Resource, ResourceRules } from '../resource.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

import { qosClass } from './qos.ts';

/*
 * ResourceQuota: what counts, and what is refused. From `k8s.io/apiserver/pkg/admission/plugin/resourcequota`,
 * `pkg/quota/v1/evaluator/core` and `k8s.io/apiserver/pkg/quota/v1/generic` of 1.34. Left out: ResourceClaims, the scope
 * VolumeAttributesClass, and configured limits of the plugin, of which there are none by default.
 */

/** Amounts by the name of a tracked resource. */
export type Usage = ReadonlyMap<string, Quantity>;

/** A resource whose objects count. */
type Counted = Pick<Resource, 'id'>;

interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface QuotaSpec {
  readonly hard?: ResourceList;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly Scope[] };
}

/** A ResourceQuota as stored. */
export interface Quota extends ApiObject {
  readonly spec?: QuotaSpec;
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}

const ONE: Quantity = { nanos: 1_000_000_000n, format: 'DecimalSI' };
const NONE: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** Short names of counted objects besides `count/...` (`legacyObjectCountAliases`, and those of pods, services and claims). */
const ALIASES: ReadonlySet<string> = new Set([
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
  'services',
  'persistentvolumeclaims',
]);
/** Never counted: they would have no end. */
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);
/** With a quota for one of these, each container has to name it. */
const REQUIRED = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const STORAGE_CLASS_SUFFIX = '.storageclass.storage.k8s.io/';
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';

/** Quotas have canonical quantities, in their specs and in their status. */
export const quotaRules: ResourceRules = {
  defaults: (object) => ({ ...object, ...defined({ spec: withCanonical(object.spec, ['hard']) }) }),
  defaultStatus: (object) => ({ ...object, ...defined({ status: withCanonical(object.status, ['hard', 'used']) }) }),
};

function withCanonical(part: unknown, lists: readonly string[]): unknown {
  if (!isJsonObject(part)) return part;
  const canonical = lists.map((name) => [name, canonicalQuantities(part[name] as ResourceList | undefined, 'ResourceQuota')] as const);
  return { ...part, ...Object.fromEntries(canonical.filter(([, list]) => list !== undefined)) };
}

/** The name under which objects of a resource are counted: `count/pods`, `count/deployments.apps`. */
function countOf({ id }: Counted): string {
  return `count/${id}`;
}

/** Whether a quota's resource is about a kind of object (`MatchingResources`). */
function isTracked(name: string, resource: Counted): boolean {
  if (IGNORED.has(resource.id)) return false;
  if (name === countOf(resource)) return true;
  switch (resource.id) {
    case 'pods':
      return (
        name === 'pods' ||
        COMPUTE.some((one) => [one, `requests.${one}`, `limits.${one}`].includes(name)) ||
        name.startsWith('hugepages-') ||
        (name.startsWith('requests.') && (name.includes('hugepages-') || name.includes('/')))
      );
    case 'services':
      return ['services', NODE_PORTS, LOAD_BALANCERS].includes(name);
    case 'persistentvolumeclaims':
      return ['persistentvolumeclaims', 'requests.storage'].some((one) => name === one || name.endsWith(`${STORAGE_CLASS_SUFFIX}${one}`));
    default:
      return name === resource.id && ALIASES.has(name);
  }
}

/** What an object uses of each tracked resource. @param nowMs since the Unix epoch */
function usageOf(resource: Counted, object: ApiObject, nowMs: number): Usage {
  const usage = new Map<string, Quantity>([[countOf(resource), ONE]]);
  if (ALIASES.has(resource.id)) usage.set(resource.id, ONE);
  if (resource.id === 'pods' && isCharged(object as unknown as Pod, nowMs)) addPod(usage, (object as unknown as Pod).spec);
  if (resource.id === 'services') addService(usage, object);
  if (resource.id === 'persistentvolumeclaims') addClaim(usage, object);
  return usage;
}

/** A pod that has ended, or should have by now, uses nothing but its place (`QuotaV1Pod`). */
function isCharged({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1_000;
}

function addPod(usage: Map<string, Quantity>, spec: FullPodSpec): void {
  for (const [name, amount] of computeOf(formatResources(podRequests(spec)), formatResources(podLimits(spec)))) usage.set(name, amount);
}

/** `podComputeUsageHelper` */
function computeOf(requests: ResourceList = {}, limits: ResourceList = {}): Map<string, Quantity> {
  const usage = new Map<string, Quantity>([['pods', ONE]]);
  for (const [name, text] of Object.entries(requests)) {
    const amount = parseQuantity(text);
    if (COMPUTE.includes(name) || name.startsWith('hugepages-')) usage.set(name, amount);
    if (COMPUTE.includes(name) || name.startsWith('hugepages-') || name.includes('/')) usage.set(`requests.${name}`, amount);
  }
  for (const [name, text] of Object.entries(limits)) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, parseQuantity(text));
  return usage;
}

function addService(usage: Map<string, Quantity>, { spec }: ApiObject): void {
  const {
    type,
    ports = [],
    allocateLoadBalancerNodePorts,
  } = (spec ?? {}) as {
    type?: string;
    ports?: readonly { nodePort?: number }[];
    allocateLoadBalancerNodePorts?: boolean;
  };
  const counted =
    type === 'LoadBalancer' && allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
  const hasPorts = type === 'NodePort' || type === 'LoadBalancer';
  usage.set(NODE_PORTS, hasPorts ? { ...ONE, nanos: ONE.nanos * BigInt(counted.length) } : NONE);
  usage.set(LOAD_BALANCERS, type === 'LoadBalancer' ? ONE : NONE);
}

function addClaim(usage: Map<string, Quantity>, { metadata, spec }: ApiObject): void {
  const { storageClassName, resources } = (spec ?? {}) as { storageClassName?: string; resources?: { requests?: ResourceList } };
  const asked = resources?.requests?.['storage'];
  const className = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? storageClassName ?? '';
  const prefixes = className === '' ? [''] : ['', `${className}${STORAGE_CLASS_SUFFIX}`];
  for (const prefix of prefixes) {
    usage.set(`${prefix}persistentvolumeclaims`, ONE);
    if (asked !== undefined) usage.set(`${prefix}requests.storage`, inWholeBytes(parseQuantity(asked)));
  }
}

function inWholeBytes({ nanos, format }: Quantity): Quantity {
  return { nanos: ((nanos + ONE.nanos - 1n) / ONE.nanos) * ONE.nanos, format };
}

/** Whether a quota is about an object: all its scopes match, and it limits something that is counted for it (`generic.Matches`). */
function matches({ spec = {} }: Quota, hard: ResourceList, resource: Counted, object: ApiObject): boolean {
  const scopes: readonly Scope[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  const isInScope = (scope: Scope): boolean => resource.id === 'pods' && podMatches(scope, object as unknown as Pod);
  return scopes.every(isInScope) && Object.keys(hard).some((name) => isTracked(name, resource));
}

/** `podMatchesScopeFunc` */
function podMatches({ scopeName, operator, values = [] }: Scope, { spec }: Pod): boolean {
  const { activeDeadlineSeconds, priorityClassName = '' } = spec as FullPodSpec & { activeDeadlineSeconds?: number };
  switch (scopeName) {
    case 'Terminating':
      return activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec.affinity);
    case 'PriorityClass':
      if (operator === 'Exists') return priorityClassName !== '';
      if (operator === 'DoesNotExist') return priorityClassName === '';
      return values.includes(priorityClassName) === (operator === 'In');
    default:
      return false;
  }
}

function crossesNamespaces({ podAffinity, podAntiAffinity }: NonNullable<Pod['spec']['affinity']> = {}): boolean {
  const crosses = ({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean =>
    namespaces.length > 0 || namespaceSelector !== undefined;
  const termsOf = (terms: PodAffinity = {}): PodAffinityTerm[] => [
    ...(terms.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }) => podAffinityTerm ?? []),
  ];
  return [...termsOf(podAffinity), ...termsOf(podAntiAffinity)].some(crosses);
}

/** What a quota's objects use together, for each of its hard limits. @param objects those of its namespace, by resource */
export function usedOf(quota: Quota, objects: Iterable<readonly [Counted, readonly ApiObject[]]>, nowMs: number): ResourceList {
  const { hard = {} } = quota.spec ?? {};
  const sums = new Map(Object.keys(hard).map((name) => [name, NONE] as const));
  for (const [resource, all] of objects) {
    const names = Object.keys(hard).filter((name) => isTracked(name, resource));
    if (names.length === 0) continue;
    for (const object of all) {
      if (!matches(quota, hard, resource, object)) continue;
      const usage = usageOf(resource, object, nowMs);
      for (const name of names) sums.set(name, sum(sums.get(name) ?? NONE, usage.get(name) ?? NONE));
    }
  }
  return Object.fromEntries([...sums].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** A sum has the notation of its first part that is not zero. */
function sum(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** A write that quotas may refuse. */
export interface QuotaWrite {
  readonly resource: Resource;
  readonly object: ApiObject;
  /** Before an update; undefined on creation. */
  readonly old: ApiObject | undefined;
  /** Whether it is a pod's resize, the only update of a pod that counts. */
  readonly isResize: boolean;
  readonly nowMs: number;
}

/**
 * Refuses a write that exceeds a quota of its namespace (`CheckRequest`). A quota counts once its status has limits.
 * @returns for each quota that the write counts for, what is used with it
 * @throws StatusError 403
 */
export function checkQuotas(
  quotas: readonly Quota[],
  { resource, object, old, isResize, nowMs }: QuotaWrite,
): ReadonlyMap<Quota, ResourceList> {
  const charged = new Map<Quota, ResourceList>();
  // Of other objects, updates hardly ever change what they use.
  if (old !== undefined && !isResize && !['services', 'persistentvolumeclaims'].includes(resource.id)) return charged;
  const refuse = (why: string): never => {
    throw refused(groupResource(resource), object.metadata.name ?? '', why);
  };
  for (const quota of quotas) {
    const { name = '' } = quota.metadata;
    const { hard = {}, used = {} } = quota.status ?? {};
    if (!matches(quota, hard, resource, object)) continue;
    const limited = Object.keys(hard).filter((one) => isTracked(one, resource));
    const missing = resource.id === 'pods' ? missingAmounts(limited, (object as unknown as Pod).spec) : [];
    if (missing.length > 0) refuse(`failed quota: ${name}: must specify ${missing.join('; ')}`);
    if (limited.some((one) => used[one] === undefined))
      refuse(`status unknown for quota: ${name}, resources: ${[...limited].sort().join(',')}`);
    const before = old === undefined || !matches(quota, hard, resource, old) ? new Map<string, Quantity>() : usageOf(resource, old, nowMs);
    const requested = new Map<string, Quantity>();
    for (const [one, amount] of usageOf(resource, object, nowMs)) {
      const more = amount.nanos - (before.get(one)?.nanos ?? 0n);
      if (more > 0n && hard[one] !== undefined) requested.set(one, { ...amount, nanos: more });
    }
    const after = new Map([...requested].map(([one, more]) => [one, sum(parseQuantity(used[one] ?? '0'), more)] as const));
    const exceeded = [...after].filter(([one, amount]) => amount.nanos > parseQuantity(hard[one] ?? '0').nanos).map(([one]) => one);
    if (exceeded.length > 0) {
      const shown = (amountOf: (one: string) => string | undefined): string =>
        exceeded
          .sort()
          .map((one) => `${one}=${formatQuantity(parseQuantity(amountOf(one) ?? '0'))}`)
          .join(',');
      const asked = shown((one) => formatQuantity(requested.get(one) ?? NONE));
      refuse(`exceeded quota: ${name}, requested: ${asked}, used: ${shown((one) => used[one])}, limited: ${shown((one) => hard[one])}`);
    }
    if (after.size > 0)
      charged.set(quota, { ...used, ...Object.fromEntries([...after].map(([one, amount]) => [one, formatQuantity(amount)])) });
  }
  return charged;
}

/** The amounts that containers have to name and don't: `limits.cpu for: main` */
function missingAmounts(limited: readonly string[], { containers, initContainers = [], resources }: FullPodSpec): string[] {
  if (['requests', 'limits'].some((part) => Object.keys(resources?.[part as 'requests' | 'limits'] ?? {}).length > 0)) return [];
  return REQUIRED.filter((name) => limited.includes(name)).flatMap((name) => {
    const lacking = [...containers, ...initContainers].filter(
      (one) => !computeOf(one.resources?.requests, one.resources?.limits).has(name),
    );
    const names = [...new Set(lacking.map((one) => one.name ?? ''))].sort();
    return names.length === 0 ? [] : [`${name} for: ${names.join(',')}`];
  });
}

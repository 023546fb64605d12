import { defined } from '../../../model/defined.ts';
import type { ResourceList } from '../../../model/kube.ts';
import { formatQuantity, parseQuantity } from '../../../model/quantity.ts';
import { formatResources, podLimits, podRequests } from '../../../model/resources.ts';
import { aggregateText, refused } from '../../../protocols/kube/status.ts';
import type { Admission, ApiObject, ResourceRules } from '../resource.ts';
import { validateLimits } from '../validation/limits.ts';
import type { Limit } from '../validation/limits.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

/** Where the plugin notes what it has set. */
const ANNOTATION = 'kubernetes.io/limit-ranger';

/** What a container, a pod or a claim asks for. */
interface Asked {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

type Container = FullPodSpec['containers'][number];

/** LimitRanges get the defaults of `SetDefaults_LimitRangeItem`. */
export const limitRangeRules: ResourceRules = {
  defaults: (object) => {
    const limits = limitsOf(object);
    return { ...object, spec: { ...(object.spec as object), limits: limits.length === 0 ? null : limits.map(withDefaults) } };
  },
  validate: (object) => validateLimits(limitsOf(object), 'spec.limits'),
};

function withDefaults(limit: Limit): Limit {
  if (limit.type !== 'Container') return limit;
  const preset = { ...limit.max, ...limit.default };
  const defaultRequest = { ...limit.min, ...preset, ...limit.defaultRequest };
  return { ...limit, default: preset, defaultRequest };
}

function limitsOf(object: ApiObject): readonly Limit[] {
  return (object.spec as { limits?: readonly Limit[] } | undefined)?.limits ?? [];
}

/** The ranges that an object must obey: none if it is being deleted. */
function boundsOf({ metadata }: ApiObject, admission: Admission, old: ApiObject | undefined): readonly ApiObject[] {
  return old?.metadata.deletionTimestamp === undefined ? rangesIn(admission, metadata.namespace) : [];
}

function rangesIn(admission: Admission, namespace: string | undefined): readonly ApiObject[] {
  return admission.list('limitranges').filter(({ metadata }) => metadata.namespace === namespace);
}

/** A new pod with the defaults of its namespace's LimitRanges (the plugin LimitRanger, which comes before all others). */
export function withLimitDefaults(pod: ApiObject, admission: Admission): ApiObject {
  return rangesIn(admission, pod.metadata.namespace).reduce((changed, range) => {
    const containers = limitsOf(range).filter(({ type }) => type === 'Container');
    const requests = Object.assign({}, ...containers.map((limit) => limit.defaultRequest ?? {})) as ResourceList;
    const limits = Object.assign({}, ...containers.map((limit) => limit.default ?? {})) as ResourceList;
    return withAmounts(changed, { requests, limits });
  }, pod);
}

function withAmounts(pod: ApiObject, preset: Asked): ApiObject {
  const notes: string[] = [];
  const complete = (container: Container, what: string): Container => {
    const resources = { ...container.resources };
    for (const part of ['requests', 'limits'] as const) {
      const missing = Object.keys(preset[part]).filter((name) => resources[part]?.[name] === undefined);
      if (missing.length === 0) continue;
      resources[part] = { ...preset[part], ...resources[part] };
      notes.push(`${missing.sort().join(', ')} ${part.slice(0, -1)} for ${what} ${container.name ?? ''}`);
    }
    return { ...container, resources };
  };
  const spec = pod.spec as FullPodSpec;
  const containers = spec.containers.map((container) => complete(container, 'container'));
  const initContainers = spec.initContainers?.map((container) => complete(container, 'init container'));
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...spec, containers, ...defined({ initContainers }) },
  };
}

/** Refuses a pod, new or resized, that its namespace's LimitRanges don't allow. @throws StatusError 403 */
export function checkPodLimits(pod: ApiObject, admission: Admission, old: ApiObject | undefined): void {
  const spec = pod.spec as FullPodSpec;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => askedOf(resources));
  for (const range of boundsOf(pod, admission, old)) {
    const errors = limitsOf(range).flatMap((limit) => {
      if (limit.type === 'Container') return containers.flatMap((asked) => violations(limit, asked));
      return limit.type === 'Pod' ? violations(limit, ofPod(spec)) : [];
    });
    refuse('pods', pod, errors);
  }
}

/** Refuses a claim for storage that its namespace's LimitRanges don't allow. @throws StatusError 403 */
export function checkClaimLimits(claim: ApiObject, admission: Admission, old: ApiObject | undefined): void {
  const { requests } = askedOf((claim.spec as { resources?: Partial<Asked> } | undefined)?.resources);
  for (const range of boundsOf(claim, admission, old)) {
    const limits = limitsOf(range).filter(({ type }) => type === 'PersistentVolumeClaim');
    const errors = limits.flatMap(({ type, min, max }) => violations(defined({ type, min, max }), { requests, limits: {} }, 'requests'));
    refuse('persistentvolumeclaims', claim, errors);
  }
}

function refuse(resource: string, { metadata }: ApiObject, errors: readonly string[]): void {
  if (errors.length > 0) throw refused({ group: '', resource }, metadata.name ?? '', aggregateText(errors));
}

function askedOf(resources: Partial<Asked> | undefined): Asked {
  return { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} };
}

function ofPod(spec: FullPodSpec): Asked {
  return { requests: formatResources(podRequests(spec)), limits: formatResources(podLimits(spec)) };
}

/**
 * In the words of `minConstraint`, `maxConstraint` and `limitRequestRatioConstraint`.
 * @param mostOf what the maximum is for: claims have no limits (`maxRequestConstraint`)
 */
function violations(
  { type = '', min = {}, max = {}, maxLimitRequestRatio = {} }: Limit,
  asked: Asked,
  mostOf: keyof Asked = 'limits',
): string[] {
  const errors: string[] = [];
  const bounds = [
    { word: 'minimum', list: min, first: 'requests', second: 'limits', isBroken: (value: bigint, bound: bigint) => value < bound },
    { word: 'maximum', list: max, first: mostOf, second: 'requests', isBroken: (value: bigint, bound: bigint) => value > bound },
  ] as const;
  for (const { word, list, first, second, isBroken } of bounds) {
    for (const [name, bound] of Object.entries(list)) {
      const rule = `${word} ${name} usage per ${type} is ${shown(bound)}`;
      const wrong = [first, second].find((part) => isBroken(nanosOf(asked[part][name] ?? bound), nanosOf(bound)));
      if (asked[first][name] === undefined) errors.push(`${rule}.  No ${first.slice(0, -1)} is specified`);
      else if (wrong !== undefined) errors.push(`${rule}, but ${wrong.slice(0, -1)} is ${shown(asked[wrong][name] ?? '0')}`);
    }
  }
  for (const [name, bound] of Object.entries(maxLimitRequestRatio)) {
    const rule = `${name} max limit to request ratio per ${type} is ${shown(bound)}`;
    const [request, limit] = [nanosOf(asked.requests[name] ?? '0'), nanosOf(asked.limits[name] ?? '0')];
    if (request === 0n) errors.push(`${rule}, but no request is specified or request is 0`);
    else if (limit === 0n) errors.push(`${rule}, but no limit is specified or limit is 0`);
    else if (Number(limit) / Number(request) > Number(nanosOf(bound)) / 1e9)
      errors.push(`${rule}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}`);
  }
  return errors;
}

function nanosOf(quantity: string): bigint {
  return parseQuantity(quantity).nanos;
}

function shown(quantity: string): string {
  return formatQuantity(parseQuantity(quantity));
}

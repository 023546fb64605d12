import type { PodSpec, ResourceList } from './kube.ts';
import { ofFrozen } from './of-frozen.ts';
import { formatBytes, formatMilli, toMilli, toWhole } from './quantity.ts';

/**
 * Amounts by resource name, as whole numbers: `cpu` in millicores, everything else in its own unit (`memory` and
 * `ephemeral-storage` in bytes, `pods` and devices as counts). Absent resources are zero.
 */
export type Resources = Readonly<Record<string, number>>;

/** @throws QuantityError when an amount is not a quantity */
export function parseResources(list: ResourceList | undefined): Resources {
  return amountsOf(list ?? NONE);
}

const NONE: ResourceList = Object.freeze({});

/** Plans ask again and again for those of the same pods and nodes. */
const amountsOf = ofFrozen((list: ResourceList): Resources => {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(list)) amounts[name] = name === 'cpu' ? toMilli(quantity) : toWhole(quantity);
  return amounts;
});

/** Amounts as quantities in canonical form. */
export function formatResources(resources: Resources): ResourceList {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, formatAmount(name, amount)]));
}

function formatAmount(name: string, amount: number): string {
  if (name === 'cpu') return formatMilli(amount);
  return isBytes(name) ? formatBytes(amount) : String(amount);
}

function isBytes(name: string): boolean {
  return name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
}

export function addResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (left, right) => left + right);
}

/** The result may be negative, if more is used than available. */
export function subtractResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (left, right) => left - right);
}

/** Of what a node reports all but zeros, which it has for what it does not know yet, as when it has just registered. */
export function reportedResources(resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount > 0));
}

/** The larger amount of each resource. */
export function maxResources(a: Resources, b: Resources): Resources {
  return combine(a, b, Math.max);
}

function combine(a: Resources, b: Resources, merge: (left: number, right: number) => number): Resources {
  const result: Record<string, number> = { ...a };
  for (const name of Object.keys(b)) result[name] = merge(a[name] ?? 0, b[name] ?? 0);
  return result;
}

/** Whether no requested resource is short. A pod that requests none of a resource fits even if that is overcommitted. */
export function fits(requests: Resources, available: Resources): boolean {
  for (const name in requests) {
    const amount = requests[name] ?? 0;
    if (amount > 0 && amount > (available[name] ?? 0)) return false;
  }
  return true;
}

/** The resources that are short, in the order of the requests. */
export function shortages(requests: Resources, available: Resources): string[] {
  return Object.keys(requests).filter((name) => {
    const amount = requests[name] ?? 0;
    return amount > 0 && amount > (available[name] ?? 0);
  });
}

/** Resources that a pod may request as a whole: cpu, memory and huge pages (`IsSupportedPodLevelResource`). */
function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/**
 * What a pod uses of a node, as the scheduler computes it (`PodRequests` of `k8s.io/component-helpers/resource`): the larger of
 * all containers and sidecars together, and of one init container together with the sidecars started before it; for
 * resources that the pod requests as a whole, that amount instead; then the overhead. The pod itself counts as one of
 * `pods`. In-place resizes are not supported.
 * @param missing the assumed requests of a container for resources that it does not name
 * @throws QuantityError when a request is not a quantity
 */
export function podRequests(spec: PodSpec, missing?: Resources): Resources {
  return missing === undefined ? plainRequests(spec) : sumRequests(spec, missing);
}

const plainRequests = ofFrozen((spec: PodSpec) => sumRequests(spec, {}));

function sumRequests(spec: PodSpec, missing: Resources): Resources {
  const requestsOf = (list: ResourceList | undefined): Resources => ({ ...missing, ...parseResources(list) });
  let running: Resources = {};
  for (const container of spec.containers) running = addResources(running, requestsOf(container.resources?.requests));
  let sidecars: Resources = {};
  let starting: Resources = {};
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(container.resources?.requests);
    if (container.restartPolicy === 'Always') {
      running = addResources(running, requests);
      sidecars = addResources(sidecars, requests);
      starting = maxResources(starting, sidecars);
    } else {
      starting = maxResources(starting, addResources(sidecars, requests));
    }
  }
  const whole = Object.entries(parseResources(spec.resources?.requests)).filter(([name]) => isPodLevel(name));
  const requests = { ...maxResources(running, starting), ...Object.fromEntries(whole) };
  return { pods: 1, ...addResources(requests, parseResources(spec.overhead)) };
}

/**
 * What the limits of a pod's containers come to, as `PodLimits` of `k8s.io/component-helpers/resource` computes it: like its requests,
 * but the overhead only adds to the limits that there are.
 * @throws QuantityError when a limit is not a quantity
 */
export function podLimits(spec: PodSpec): Resources {
  const swapped = (containers: PodSpec['containers']): PodSpec['containers'] =>
    containers.map((container) => ({ ...container, resources: { requests: container.resources?.limits ?? {} } }));
  const limited: PodSpec = {
    ...spec,
    containers: swapped(spec.containers),
    initContainers: swapped(spec.initContainers ?? []),
    resources: { requests: spec.resources?.limits ?? {} },
    overhead: {},
  };
  const limits = podRequests(limited);
  const overhead = Object.entries(parseResources(spec.overhead)).filter(([name]) => name in limits);
  return addResources(limits, Object.fromEntries(overhead));
}

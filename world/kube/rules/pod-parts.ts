import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { ResourceList } from '../../../model/kube.ts';
import { forbidden, invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, PartRules } from '../resource.ts';
import type { FullContainer } from '../validation/containers.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';
import { checkPodLimits } from './limit-ranges.ts';
import { qosClass } from './qos.ts';

/*
 * The subresources `ephemeralcontainers` and `resize` of pods: `podEphemeralContainersStrategy` and `podResizeStrategy` of
 * `pkg/registry/core/pod`, `ValidatePodEphemeralContainersUpdate` and `ValidatePodResize` of `pkg/apis/core/validation`.
 */

/** The field of errors about a pod as a whole. */
const WHOLE = '[]';
/** Set by kubelets on their static pods. */
const MIRROR = 'kubernetes.io/config.mirror';

export const ephemeralContainersPart: PartRules = {
  take: (sent, old) => {
    const { ephemeralContainers } = specOf(sent);
    const { ephemeralContainers: _old, ...spec } = specOf(old);
    return { ...old, spec: { ...spec, ...defined({ ephemeralContainers }) } };
  },
  applied: ({ spec, ...rest }) => {
    const { ephemeralContainers } = (spec ?? {}) as FullPodSpec;
    return { ...typeAndName(rest), spec: defined({ ephemeralContainers }) };
  },
  validate: (object, old) => {
    if (isStatic(old)) return { only: [forbidden(WHOLE, 'static pods do not support ephemeral containers')] };
    const field = 'spec.ephemeralContainers';
    const now = specOf(object).ephemeralContainers ?? [];
    const errors = (specOf(old).ephemeralContainers ?? []).flatMap((before) => {
      const after = now.findLast(({ name }) => name === before.name);
      const what = `existing ephemeral containers ${JSON.stringify(before.name)}`;
      if (after === undefined) return [forbidden(field, `${what} may not be removed\n`)];
      return isDeepStrictEqual(after, before) ? [] : [forbidden(field, `${what} may not be changed\n`)];
    });
    return { more: errors };
  },
};

const LISTS = ['containers', 'initContainers'] as const;

export const resizePart: PartRules = {
  take: (sent, old) => {
    const [next, before] = [specOf(sent), specOf(old)];
    // Containers that were added or removed are left for the validation to find.
    if (LISTS.some((list) => next[list]?.length !== before[list]?.length)) return sent;
    const spec = { ...before };
    for (const list of LISTS) if (before[list] !== undefined) spec[list] = resized(next[list] ?? [], before[list]);
    return { ...old, spec };
  },
  applied: ({ spec, ...rest }) => {
    const parts = LISTS.map((list) => {
      const containers = ((spec ?? {}) as FullPodSpec)[list]?.map(({ name, resources, resizePolicy }) => ({
        name,
        ...defined({ resources, resizePolicy }),
      }));
      return [list, containers] as const;
    });
    return { ...typeAndName(rest), spec: Object.fromEntries(parts.filter(([, containers]) => containers !== undefined)) };
  },
  validateAdmission: checkPodLimits,
  validate: (object, old) => {
    const [next, before] = [specOf(object), specOf(old)];
    const hasOwn = ({ resources }: FullPodSpec): boolean => sizeOf(resources?.requests) + sizeOf(resources?.limits) > 0;
    if (hasOwn(next) || hasOwn(before)) return { only: [forbidden(WHOLE, 'pods with pod-level resources cannot be resized')] };
    if (isStatic(old)) return { only: [forbidden(WHOLE, 'static pods cannot be resized')] };
    if (before.os?.name === 'windows') return { only: [forbidden(WHOLE, 'windows pods cannot be resized')] };
    return { more: validateResize(object, old) };
  },
};

function resized(next: readonly FullContainer[], before: readonly FullContainer[]): FullContainer[] {
  if (next.some(({ name }, index) => name !== before[index]?.name)) return [...next];
  return before.map(({ resizePolicy: _policy, ...container }, index) => {
    const { resources, resizePolicy } = next[index] ?? {};
    return { ...container, ...defined({ resources, resizePolicy }) };
  });
}

function validateResize(object: ApiObject, old: ApiObject): FieldError[] {
  const [next, before] = [specOf(object), specOf(old)];
  const errors: FieldError[] = [];
  const { qosClass: known, containerStatuses = [] } = (old.status ?? {}) as PodStatus;
  if ((known ?? qosClass(before)) !== qosClass(next)) {
    errors.push(invalid('spec', known ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  // A kubelet that can resize writes the resources of what runs.
  const running = containerStatuses.find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  }
  const moved = LISTS.flatMap((list) => validateOrder(next[list] ?? [], before[list] ?? [], list));
  if (moved.length > 0) return [...errors, ...moved];
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, container] of (before[list] ?? []).entries()) {
      if (list === 'initContainers' && container.restartPolicy !== 'Always') continue;
      errors.push(...validateKept(next[list]?.[index]?.resources, container.resources, `spec.${list}[${index}].resources`));
    }
  }
  for (const [index, container] of next.containers.entries()) {
    if (!isSameButSize(container, before.containers[index])) errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
  }
  for (const [index, container] of (next.initContainers ?? []).entries()) {
    const was = before.initContainers?.[index];
    if (container.restartPolicy !== 'Always') {
      if (!isDeepStrictEqual(container, was)) errors.push(forbidden('spec', 'resources for non-sidecar init containers are immutable'));
    } else if (!isSameButSize(container, was)) {
      errors.push(forbidden('spec', 'only cpu and memory resources for sidecar containers are mutable'));
    }
  }
  return errors;
}

interface PodStatus {
  readonly qosClass?: string;
  readonly containerStatuses?: readonly { readonly state?: { readonly running?: object }; readonly resources?: object }[];
}

function validateOrder(next: readonly FullContainer[], before: readonly FullContainer[], list: string): FieldError[] {
  if (next.length !== before.length) return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, index) =>
    next[index]?.name === name ? [] : [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

type Resources = FullContainer['resources'];

function validateKept(next: Resources, before: Resources, field: string): FieldError[] {
  return (['requests', 'limits'] as const)
    .filter((part) => Object.keys(before?.[part] ?? {}).some((name) => next?.[part]?.[name] === undefined))
    .map((part) => forbidden(`${field}.${part}`, `resource ${part} cannot be removed`));
}

/** Whether two containers differ in nothing but their amounts of cpu and memory. */
function isSameButSize(next: FullContainer, before: FullContainer | undefined): boolean {
  const limits = withSizeOf(next.resources?.limits, before?.resources?.limits);
  const requests = withSizeOf(next.resources?.requests, before?.resources?.requests);
  return isDeepStrictEqual({ ...next, resources: defined({ limits, requests }) }, before);
}

function withSizeOf(list: ResourceList | undefined, before: ResourceList | undefined): ResourceList | undefined {
  if (before === undefined) return undefined;
  const { cpu: _cpu, memory: _memory, ...others } = list ?? {};
  const { cpu, memory } = before;
  return { ...others, ...defined({ cpu, memory }) };
}

function typeAndName({ apiVersion, kind, metadata }: Readonly<Record<string, unknown>>): object {
  return defined({ apiVersion, kind, metadata });
}

function isStatic({ metadata }: ApiObject): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

function sizeOf(list: ResourceList | undefined): number {
  return Object.keys(list ?? {}).length;
}

function specOf(object: ApiObject): FullPodSpec {
  return (object.spec ?? {}) as FullPodSpec;
}

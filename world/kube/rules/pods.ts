import { isDeepStrictEqual } from 'node:util';
import type { Container, Pod, PodSpec, ResourceList, Toleration } from '../../../model/kube.ts';
import { forbidden, invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { refused } from '../../../protocols/kube/status.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { podShape } from '../validation/shapes.ts';

/** Fields of a pod's spec that only the API server reads here. */
export interface FullPodSpec extends PodSpec {
  restartPolicy?: string;
  dnsPolicy?: string;
  priorityClassName?: string;
  preemptionPolicy?: string;
  activeDeadlineSeconds?: number;
  schedulingGates?: { name: string }[];
}

const DEFAULT_GRACE_SECONDS = 30;
/** The DefaultTolerationSeconds admission plugin. */
const DEFAULT_TOLERATION_SECONDS = 300;
const DEFAULT_TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export const podRules: ResourceRules = {
  shape: podShape,
  defaults: (object) => ({
    ...object,
    spec: defaultPodSpec(specOf(object), { owner: 'Pod in version "v1" cannot be handled as a Pod', requestsFromLimits: true }),
  }),
  admit: (object, admission) => {
    const spec = specOf(object);
    const priority = spec.priorityClassName === undefined ? 0 : admission.priorityOf(spec.priorityClassName);
    if (priority === undefined) {
      const why = `no PriorityClass with name ${spec.priorityClassName} was found`;
      throw refused({ group: '', resource: 'pods' }, object.metadata.name ?? '', why);
    }
    const admitted = {
      ...spec,
      priority,
      preemptionPolicy: spec.preemptionPolicy ?? 'PreemptLowerPriority',
      tolerations: withDefaultTolerations(spec.tolerations ?? []),
    };
    return { ...object, spec: admitted };
  },
  initialStatus: (object) => ({ phase: 'Pending', qosClass: qosClass(specOf(object)) }),
  validate: (object) => validatePodSpec(specOf(object), 'spec'),
  validateUpdate: validatePodUpdate,
  gracePeriodSeconds: (object, asked) => {
    const spec = specOf(object);
    const phase = (object as unknown as Pod).status?.phase;
    if (spec.nodeName === undefined || spec.nodeName === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    const period = asked ?? spec.terminationGracePeriodSeconds ?? 0;
    return period < 0 ? 1 : period;
  },
  fields: {
    'spec.nodeName': (object) => specOf(object).nodeName,
    'spec.restartPolicy': (object) => specOf(object).restartPolicy,
    'spec.schedulerName': (object) => specOf(object).schedulerName,
    'status.phase': (object) => (object as unknown as Pod).status?.phase,
    'status.nominatedNodeName': (object) => (object as unknown as Pod).status?.nominatedNodeName,
  },
};

export function specOf(object: ApiObject): FullPodSpec {
  return (object.spec ?? {}) as FullPodSpec;
}

/**
 * What the API server fills in of a pod's spec, or of a template's (where requests are left as they are).
 * @param options.owner begins the refusal of a malformed quantity
 */
export function defaultPodSpec(spec: FullPodSpec, options: { readonly owner: string; readonly requestsFromLimits: boolean }): FullPodSpec {
  const fill = (container: Container): Container => {
    if (container.resources === undefined) return container;
    const limits = canonicalQuantities(container.resources.limits, options.owner);
    const sent = canonicalQuantities(container.resources.requests, options.owner);
    const requests = options.requestsFromLimits && limits !== undefined ? { ...limits, ...sent } : sent;
    const resources = {
      ...container.resources,
      ...(limits === undefined ? {} : { limits }),
      ...(requests === undefined ? {} : { requests }),
    };
    return { ...container, resources };
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(fill),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(fill) }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    schedulerName: spec.schedulerName ?? 'default-scheduler',
  };
}

function withDefaultTolerations(tolerations: readonly Toleration[]): Toleration[] {
  const missing = DEFAULT_TOLERATED.filter(
    (taint) =>
      !tolerations.some(({ key = '', effect }) => (key === taint || key === '') && (effect === undefined || effect === 'NoExecute')),
  );
  const added = missing.map((key): Toleration => {
    return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: DEFAULT_TOLERATION_SECONDS };
  });
  return [...tolerations, ...added];
}

function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all = [...spec.containers, ...(spec.initContainers ?? [])].map((container) => container.resources ?? {});
  const amounts = (list: ResourceList | undefined): string[] => [list?.cpu, list?.memory].filter((one) => one !== undefined);
  if (all.every(({ requests, limits }) => amounts(requests).length === 0 && amounts(limits).length === 0)) return 'BestEffort';
  const guaranteed = all.every(({ requests, limits }) => {
    return amounts(limits).length === 2 && requests?.cpu === limits?.cpu && requests?.memory === limits?.memory;
  });
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const IMMUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What of a running pod may change. The real message ends with a diff of both specs, ours doesn't. */
function validatePodUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const [next, before] = [specOf(object), specOf(old)];
  if (isDeepStrictEqual(next, before)) return [];
  const errors: FieldError[] = [];
  const kept = (before.tolerations ?? []).every((one) =>
    next.tolerations?.some((other) => isDeepStrictEqual({ ...one, tolerationSeconds: 0 }, { ...other, tolerationSeconds: 0 })),
  );
  if (!kept) errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  const deadline = before.activeDeadlineSeconds;
  if (deadline !== undefined && (next.activeDeadlineSeconds === undefined || next.activeDeadlineSeconds > deadline)) {
    const detail = 'must be less than or equal to previous value';
    errors.push(invalid('spec.activeDeadlineSeconds', next.activeDeadlineSeconds, detail));
  }
  if (!isDeepStrictEqual(frozenPart(next), frozenPart(before))) errors.push(forbidden('spec', IMMUTABLE));
  return errors;
}

function frozenPart(spec: FullPodSpec): object {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...rest } = spec;
  const withoutImage = ({ image: _image, ...container }: Container): object => container;
  return {
    ...rest,
    containers: spec.containers.map(withoutImage),
    initContainers: (spec.initContainers ?? []).map(withoutImage),
  };
}

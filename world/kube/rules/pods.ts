import { defined } from '../../../model/defined.ts';
import type { Pod } from '../../../model/kube.ts';
import { invalid } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { NO_ADDRESS, isAddress } from '../validation/addresses.ts';
import { validateNewPod, validatePodSpec } from '../validation/pod-spec.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';
import { podShape } from '../validation/shapes.ts';
import { admitPodSpec, mergeLabelKeys } from './pod-admission.ts';
import { checkPodLimits, withLimitDefaults } from './limit-ranges.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { ephemeralContainersPart, resizePart } from './pod-parts.ts';
import { validatePodUpdate } from './pod-update.ts';
import { qosClass } from './qos.ts';

/** A pod's addresses. */
interface PodAddresses {
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
}

/** The effect of a negative grace period. */
const LEAST_GRACE_SECONDS = 1;

export const podRules: ResourceRules = {
  shape: podShape,
  defaults: (object) => ({
    ...object,
    spec: defaultPodSpec(specOf(object), { owner: 'Pod in version "v1" cannot be handled as a Pod', isPod: true }),
  }),
  admit: (object, admission, old) => {
    const { labels = {} } = object.metadata;
    const complete = old === undefined ? withLimitDefaults(object, admission) : object;
    const admitted = admitPodSpec(object.metadata, specOf(complete), admission, old === undefined ? undefined : specOf(old));
    return old === undefined ? { ...complete, spec: mergeLabelKeys(admitted, labels) } : { ...object, spec: admitted };
  },
  validateAdmission: (object, admission, old) => {
    // An update can't change what counts.
    if (old === undefined) checkPodLimits(object, admission, old);
  },
  initialStatus: (object) => {
    const spec = specOf(object);
    const gated = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
      lastTransitionTime: object.metadata.creationTimestamp,
    };
    const conditions = (spec.schedulingGates ?? []).length === 0 ? {} : { conditions: [gated] };
    return { phase: 'Pending', ...conditions, qosClass: qosClass(spec) };
  },
  validate: (object, old) => [...validatePodSpec(specOf(object), 'spec'), ...(old === undefined ? validateNewPod(specOf(object)) : [])],
  validateUpdate: (object, old) => validatePodUpdate(specOf(object), specOf(old)),
  /** `podIP` equals the first of `podIPs` (`Convert_v1_PodStatus_To_core_PodStatus` and back). */
  defaultStatus: (object) => {
    const { podIP: one = '', podIPs: several = [], ...status } = (object.status ?? {}) as PodAddresses;
    const addresses = one === '' || one === several[0]?.ip ? several : [{ ip: one }];
    const [first] = addresses;
    return { ...object, status: { ...status, ...defined({ podIP: first?.ip, podIPs: first && addresses }) } };
  },
  validateStatus: (object, old) => {
    const addresses = ((object.status ?? {}) as PodAddresses).podIPs ?? [];
    const wrong = addresses.flatMap(({ ip }, index) =>
      isAddress(ip ?? '') ? [] : [invalid(`status.podIPs[${index}]`, ip ?? '', NO_ADDRESS)],
    );
    const [next, before] = [object, old].map(({ status }) => (status as { qosClass?: string } | undefined)?.qosClass);
    // A status without the class keeps it. Go's typed status would clear it, but kubelets always send it.
    const changed = next === undefined || next === before ? [] : [invalid('status.qosClass', next, 'field is immutable')];
    return [...changed, ...wrong];
  },
  parts: { ephemeralcontainers: ephemeralContainersPart, resize: resizePart },
  gracePeriodSeconds: (object, requested) => {
    const spec = specOf(object);
    const phase = (object as unknown as Pod).status?.phase;
    if (spec.nodeName === undefined || spec.nodeName === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    const period = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return period < 0 ? LEAST_GRACE_SECONDS : period;
  },
  fields: {
    'spec.nodeName': (object) => specOf(object).nodeName,
    'spec.restartPolicy': (object) => specOf(object).restartPolicy,
    'spec.schedulerName': (object) => specOf(object).schedulerName,
    'spec.serviceAccountName': (object) => specOf(object).serviceAccountName,
    'spec.hostNetwork': (object) => String(specOf(object).hostNetwork ?? false),
    'status.phase': (object) => (object as unknown as Pod).status?.phase,
    'status.podIP': (object) => (object.status as { podIP?: string } | undefined)?.podIP,
    'status.nominatedNodeName': (object) => (object as unknown as Pod).status?.nominatedNodeName,
  },
};

export function specOf(object: ApiObject): FullPodSpec {
  return (object.spec ?? {}) as FullPodSpec;
}

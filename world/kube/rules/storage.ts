import { checkClaimLimits } from './limit-ranges.ts';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { NodeSelectorTerm, ResourceList } from '../../../model/kube.ts';
import { forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { ACCESS_MODES, validateClaimSpec } from '../validation/claims.ts';
import type { ClaimSpec } from '../validation/claims.ts';
import { validateNodeSelector } from '../validation/affinity.ts';
import { claimShape, storageClassShape, volumeShape } from '../validation/shapes.ts';

/** Volumes, claims and classes, as far as they affect scheduling (`pkg/apis/core`, `pkg/apis/storage`). */

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

function claimOf(object: ApiObject): ClaimSpec {
  return object.spec ?? {};
}

/** The spec of a claim, or of a template for claims, with its defaults. @param owner the start of a refusal @throws StatusError 400 */
export function defaultClaimSpec(spec: ClaimSpec, owner: string): ClaimSpec {
  const [requests, limits] = [spec.resources?.requests, spec.resources?.limits].map((one) => canonicalQuantities(one, owner));
  return { ...spec, resources: { ...spec.resources, ...defined({ requests, limits }) }, volumeMode: spec.volumeMode ?? 'Filesystem' };
}

export const claimRules: ResourceRules = {
  shape: claimShape,
  defaults: (object) => ({ ...object, spec: defaultClaimSpec(claimOf(object), CLAIM_OWNER) }),
  /** The DefaultStorageClass and StorageObjectInUseProtection plugins. */
  admit: (object, admission, old) => {
    if (old !== undefined) return object;
    const finalizers = [...new Set([...(object.metadata.finalizers ?? []), 'kubernetes.io/pvc-protection'])];
    const marked = { ...object, metadata: { ...object.metadata, finalizers } };
    const spec = claimOf(object);
    const defaults = admission.list('storageclasses.storage.k8s.io').filter((one) => one.metadata.annotations?.[DEFAULT_CLASS] === 'true');
    const [newest] = [...defaults].sort(
      (a, b) =>
        (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '') ||
        (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
    );
    if (spec.storageClassName !== undefined || newest === undefined) return marked;
    return { ...marked, spec: { ...spec, storageClassName: newest.metadata.name } };
  },
  validateAdmission: checkClaimLimits,
  initialStatus: () => ({ phase: 'Pending' }),
  validate: (object) => validateClaimSpec(claimOf(object), 'spec'),
  validateUpdate: (object, old) => {
    const [next, before] = [claimOf(object), claimOf(old)];
    // The volume may be set once.
    const volumeName = before.volumeName === undefined ? undefined : next.volumeName;
    if (isDeepStrictEqual({ ...next, volumeName, resources: 0 }, { ...before, volumeName: before.volumeName, resources: 0 })) return [];
    return [forbidden('spec', 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims')];
  },
};

const CLAIM_OWNER = 'PersistentVolumeClaim in version "v1" cannot be handled as a PersistentVolumeClaim';

interface VolumeSpec {
  capacity?: ResourceList;
  accessModes?: string[];
  persistentVolumeReclaimPolicy?: string;
  volumeMode?: string;
  nodeAffinity?: { required?: { nodeSelectorTerms?: NodeSelectorTerm[] } };
}

export const volumeRules: ResourceRules = {
  shape: volumeShape,
  defaults: (object) => {
    const spec = volumeOf(object);
    const capacity = canonicalQuantities(spec.capacity, 'PersistentVolume in version "v1" cannot be handled as a PersistentVolume');
    const filled = {
      volumeMode: 'Filesystem',
      persistentVolumeReclaimPolicy: 'Retain',
      ...spec,
      ...defined({ capacity }),
    };
    return { ...object, spec: filled };
  },
  admit: (object, _admission, old) => {
    if (old !== undefined) return object;
    const finalizers = [...new Set([...(object.metadata.finalizers ?? []), 'kubernetes.io/pv-protection'])];
    return { ...object, metadata: { ...object.metadata, finalizers } };
  },
  initialStatus: () => ({ phase: 'Pending' }),
  validate: (object) => {
    const { accessModes = [], capacity = {}, nodeAffinity } = volumeOf(object);
    const errors: FieldError[] = accessModes.length === 0 ? [required('spec.accessModes')] : [];
    for (const mode of accessModes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported('spec.accessModes', mode, ACCESS_MODES));
    if (Object.keys(capacity).length === 0) errors.push(required('spec.capacity'));
    else if (capacity.storage === undefined || Object.keys(capacity).length > 1) {
      errors.push(notSupported('spec.capacity', capacity, ['storage']));
    }
    if (nodeAffinity === undefined) return errors;
    if (nodeAffinity.required === undefined)
      return [...errors, required('spec.nodeAffinity.required', 'must specify required node constraints')];
    return [...errors, ...validateNodeSelector(nodeAffinity.required, 'spec.nodeAffinity.required')];
  },
};

function volumeOf(object: ApiObject): VolumeSpec {
  return object.spec ?? {};
}

/** `SetDefaults_CSIDriver` */
export const driverRules: ResourceRules = {
  defaults: (object) => {
    const spec = (object.spec ?? {}) as { readonly volumeLifecycleModes?: readonly string[] };
    const { volumeLifecycleModes: modes = [] } = spec;
    return { ...object, spec: { ...DRIVER, ...spec, volumeLifecycleModes: modes.length === 0 ? ['Persistent'] : modes } };
  },
};

const DRIVER = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
};

export const storageClassRules: ResourceRules = {
  shape: storageClassShape,
  defaults: (object) => ({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', ...object }),
  validate: (object) => {
    const { provisioner = '', reclaimPolicy, volumeBindingMode } = object as ApiObject & StorageClassFields;
    return [
      ...(provisioner === '' ? [required('provisioner')] : []),
      ...(reclaimPolicy === undefined || RECLAIM_POLICIES.includes(reclaimPolicy)
        ? []
        : [notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES)]),
      ...(volumeBindingMode === undefined || BINDING_MODES.includes(volumeBindingMode)
        ? []
        : [notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES)]),
    ];
  },
  validateUpdate: (object, old) => {
    const [next, before] = [object as ApiObject & StorageClassFields, old as ApiObject & StorageClassFields];
    const same = isDeepStrictEqual(next.parameters ?? {}, before.parameters ?? {});
    return [
      ...(same ? [] : [forbidden('parameters', 'updates to parameters are forbidden.')]),
      ...(next.provisioner === before.provisioner ? [] : [forbidden('provisioner', 'updates to provisioner are forbidden.')]),
      ...(next.reclaimPolicy === before.reclaimPolicy ? [] : [forbidden('reclaimPolicy', 'updates to reclaimPolicy are forbidden.')]),
      ...(next.volumeBindingMode === before.volumeBindingMode
        ? []
        : [invalid('volumeBindingMode', next.volumeBindingMode, 'field is immutable')]),
    ];
  },
};

interface StorageClassFields {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** VolumeAttachments: the spec is immutable; a new one is not attached. */
export const volumeAttachmentRules: ResourceRules = {
  initialStatus: () => ({ attached: false }),
  validateUpdate: (object, old) => (isDeepStrictEqual(object.spec, old.spec) ? [] : [invalid('spec', object.spec, 'field is immutable')]),
};

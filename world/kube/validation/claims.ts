import type { ResourceList } from '../../../model/kube.ts';
import { parseQuantity } from '../../../model/quantity.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

export interface ClaimSpec {
  accessModes?: string[];
  storageClassName?: string;
  volumeName?: string;
  volumeMode?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
}

/** `ValidatePersistentVolumeClaimSpec` of `pkg/apis/core/validation`, as far as it affects scheduling. */
export function validateClaimSpec({ accessModes = [], resources, volumeMode }: ClaimSpec, field: string): FieldError[] {
  const unknown = accessModes.filter((mode) => !ACCESS_MODES.includes(mode));
  const storage = resources?.requests?.storage;
  const path = `${field}.resources[storage]`;
  return [
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`, 'at least 1 access mode is required')] : []),
    ...unknown.map((mode) => notSupported(`${field}.accessModes`, mode, ACCESS_MODES)),
    ...(storage === undefined ? [required(path)] : []),
    ...(storage !== undefined && parseQuantity(storage).nanos <= 0n ? [invalid(path, storage, 'must be greater than zero')] : []),
    ...(volumeMode === undefined || VOLUME_MODES.includes(volumeMode)
      ? []
      : [notSupported(`${field}.volumeMode`, volumeMode, VOLUME_MODES)]),
  ];
}

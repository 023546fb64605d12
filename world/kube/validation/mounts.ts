import { forbidden, invalid, notFound, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateDescendingPath } from './paths.ts';

export interface Mount {
  name?: string;
  mountPath?: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
  recursiveReadOnly?: string;
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

/**
 * Validates as `ValidateVolumeMounts` of `pkg/apis/core/validation` does. As there, some errors do not say which mount.
 * @param volumes the names that can be mounted
 */
export function validateMounts(mounts: readonly Mount[], volumes: ReadonlySet<string>, isPrivileged: boolean, field: string): FieldError[] {
  const taken = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const path = `${field}[${index}]`;
    const { name = '', mountPath = '', subPath = '', subPathExpr = '' } = mount;
    const isTaken = taken.has(mountPath);
    taken.add(mountPath);
    const isBoth = subPath !== '' && subPathExpr !== '';
    return [
      ...(name === '' ? [required(`${path}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${path}.name`, name)]),
      ...(mountPath === '' ? [required(`${path}.mountPath`)] : []),
      ...(isTaken ? [invalid(`${path}.mountPath`, mountPath, 'must be unique')] : []),
      ...validateDescendingPath(subPath, `${field}.subPath`),
      ...(isBoth ? [invalid(`${path}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')] : []),
      ...validateDescendingPath(subPathExpr, `${field}.subPathExpr`),
      ...validatePropagation(mount.mountPropagation, isPrivileged, `${field}.mountPropagation`),
      ...validateRecursion(mount, `${field}.recursiveReadOnly`),
    ];
  });
}

function validatePropagation(propagation: string | undefined, isPrivileged: boolean, field: string): FieldError[] {
  if (propagation === undefined) return [];
  if (!PROPAGATIONS.includes(propagation)) return [notSupported(field, propagation, PROPAGATIONS)];
  if (propagation !== 'Bidirectional' || isPrivileged) return [];
  return [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateRecursion({ recursiveReadOnly, readOnly, mountPropagation = 'None' }: Mount, field: string): FieldError[] {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return [];
  if (!RECURSIVE.includes(recursiveReadOnly)) return [notSupported(field, recursiveReadOnly, RECURSIVE)];
  return [
    ...(readOnly === true ? [] : [forbidden(field, 'may only be specified when readOnly is true')]),
    ...(mountPropagation === 'None' ? [] : [forbidden(field, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

import { invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';

/* Paths and ports in pods: `validateLocalDescendingPath` and others of `pkg/apis/core/validation`. */

const MAX_PORT = 65_535;
const MAX_MODE = 0o777;
const PORT_NAME_LENGTH = 15;

/** A path must not lead out of the folder that it is in. */
export function validateNoBacksteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

export function validateDescendingPath(path: string, field: string): FieldError[] {
  return [...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []), ...validateNoBacksteps(path, field)];
}

/** A path of a file that the server itself does not use. */
export function validateFilePath(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [...validateDescendingPath(path, field), ...(isReserved ? [invalid(field, path, "must not start with '..'")] : [])];
}

export function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

export function validatePortNumber(port: number, field: string): FieldError[] {
  return port >= 1 && port <= MAX_PORT ? [] : [invalid(field, port, `must be between 1 and ${MAX_PORT}, inclusive`)];
}

export function validatePortName(name: string, field: string): FieldError[] {
  return [
    ...(name.length > PORT_NAME_LENGTH ? [`must be no more than ${PORT_NAME_LENGTH} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ].map((problem) => invalid(field, name, problem));
}

export function validatePort(port: number | string, field: string): FieldError[] {
  return typeof port === 'number' ? validatePortNumber(port, field) : validatePortName(port, field);
}

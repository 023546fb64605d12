import { readMediaType } from '../../protocols/kube/accept.ts';
import { APPLY_TYPE } from '../../protocols/kube/body.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import { invalidOptions } from './bodies.ts';
import { validateFieldValidation } from './field-validation.ts';

const MAX_MANAGER_BYTES = 128;

const KINDS: Readonly<Partial<Record<KubeRequest['verb'], string>>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/**
 * Checks the options of a write in its query, as `meta/v1/validation` does.
 * @returns whether it is only tried
 * @throws StatusError 422
 */
export function readDryRun({ verb, options }: KubeRequest, contentType: string | undefined): boolean {
  const kind = KINDS[verb];
  if (kind === undefined) return false;
  const { dryRun, fieldManager = '', fieldValidation, force } = options;
  const isApply = verb === 'patch' && readMediaType(contentType ?? '').type === APPLY_TYPE;
  const isForced = verb === 'patch' && force !== undefined && !isApply;
  const errors = [
    ...(isForced ? [forbidden('force', 'may not be specified for non-apply patch')] : []),
    ...(isApply && fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []),
    ...(kind === 'DeleteOptions' ? [] : validateManager(fieldManager)),
    ...(dryRun === undefined || dryRun === 'All' ? [] : [notSupported('dryRun', [dryRun], ['All'])]),
    ...(kind === 'DeleteOptions' ? [] : validateFieldValidation(fieldValidation)),
  ];
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return dryRun !== undefined;
}

function validateManager(manager: string): FieldError[] {
  const errors =
    Buffer.byteLength(manager) > MAX_MANAGER_BYTES ? [tooLong('fieldManager', `may not be more than ${MAX_MANAGER_BYTES} bytes`)] : [];
  // The characters that Go's `unicode.IsPrint` does not know.
  for (const { 0: character, index } of manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = Buffer.byteLength(manager.slice(0, index));
    errors.push(invalid('fieldManager', manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}

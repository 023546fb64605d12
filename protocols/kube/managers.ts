import { defined } from '../../model/defined.ts';
import { formatPath, readFields, writeFields } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { StatusError } from './status.ts';

/** An owner of fields of an object: an entry of `metadata.managedFields`. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The version that its fields refer to. */
  readonly apiVersion: string;
  /** The time of its last change, RFC 3339. */
  readonly time?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fields: FieldSet;
}

/** Whether two entries belong to the same manager and operation: a manager may have one entry per operation. */
export function isSameManager(a: Omit<Manager, 'fields'>, b: Omit<Manager, 'fields'>): boolean {
  const sameVersion = a.operation === 'Apply' || a.apiVersion === b.apiVersion;
  return a.name === b.name && a.operation === b.operation && sameVersion && (a.subresource ?? '') === (b.subresource ?? '');
}

/** Fields that nobody owns: identity, and those that the system sets. */
const STRIPPED = ['f:apiVersion', 'f:kind', 'f:metadata'];
const STRIPPED_META = ['name', 'namespace', 'uid', 'creationTimestamp', 'selfLink', 'generation', 'managedFields', 'resourceVersion'];

/** The fields of a set that can be owned. */
export function ownable(fields: FieldSet): Set<string> {
  const stripped = new Set([...STRIPPED, ...STRIPPED_META.map((name) => `f:metadata\nf:${name}`)]);
  return new Set([...fields].filter((field) => !stripped.has(field) && !field.startsWith('f:metadata\nf:managedFields\n')));
}

/** Reads `metadata.managedFields`; malformed entries are left out. */
export function readManagers(entries: unknown): Manager[] {
  return (Array.isArray(entries) ? entries : []).filter(isJsonObject).flatMap((entry) => {
    const { manager, operation, apiVersion, time, subresource, fieldsV1 } = entry;
    if ((operation !== 'Apply' && operation !== 'Update') || typeof apiVersion !== 'string') return [];
    return [
      {
        name: typeof manager === 'string' ? manager : '',
        operation,
        apiVersion,
        ...(typeof time === 'string' ? { time } : {}),
        ...(typeof subresource === 'string' && subresource !== '' ? { subresource } : {}),
        fields: readFields(fieldsV1),
      },
    ];
  });
}

/** `metadata.managedFields` of managers: applies first, then by age. Managers that own nothing are left out. */
export function writeManagers(managers: readonly Manager[]): JsonObject[] {
  const key = ({ operation, time = '', name, apiVersion, subresource = '' }: Manager): string =>
    [operation, time, name, apiVersion, subresource].join('\n');
  return managers
    .filter(({ fields }) => fields.size > 0)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map(({ name, operation, apiVersion, time, subresource, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      ...defined({ time }),
      fieldsType: 'FieldsV1',
      fieldsV1: writeFields(fields),
      ...defined({ subresource }),
    }));
}

/**
 * The refusal of an apply that would change fields of other managers, with the message of `fieldmanager/internal/conflict.go`.
 * @param found the other managers, each with the fields in conflict
 */
export function applyConflict(found: readonly { readonly manager: Manager; readonly fields: FieldSet }[]): StatusError {
  const conflicts = [...found].sort((a, b) => (a.manager.name < b.manager.name ? -1 : 1));
  const causes = conflicts.flatMap(({ manager, fields }) =>
    [...fields].sort().map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describe(manager)}`,
      field: formatPath(field),
    })),
  );
  const [only] = causes;
  const text =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${conflicts.map(({ manager, fields }) => section(manager, fields)).join('\n')}`;
  return new StatusError(409, 'Conflict', `Apply failed with ${text}`, { causes });
}

function section(manager: Manager, fields: FieldSet): string {
  const paths = [...fields].sort().map((field) => `- ${formatPath(field)}`);
  return [`conflicts with ${describe(manager)}:`, ...paths].join('\n');
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const who = JSON.stringify(name) + (subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${who} using ${apiVersion}` : who;
}

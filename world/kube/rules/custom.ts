import { invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules, ScalePaths } from '../resource.ts';
import { withDefaults } from '../validation/custom/defaults.ts';
import { prune } from '../validation/custom/prune.ts';
import { checkRules } from '../validation/custom/cel/check.ts';
import { compileRules } from '../validation/custom/cel/rules.ts';
import type { RuleSet } from '../validation/custom/cel/rules.ts';
import type { Schema } from '../validation/custom/schema.ts';
import { validateLists, validateSchema } from '../validation/custom/validate.ts';

/** Errors that keep the real API server from evaluating CEL rules. */
const BLOCKING = ['FieldValueNotSupported', 'FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid'];
const RULES_NOT_CHECKED = invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/**
 * The rules of one version of a custom resource, from its schema: unknown fields are dropped, defaults filled in, the
 * rest validated, as `apiextensions-apiserver/pkg/registry/customresource` does. CEL rules are evaluated if the rest
 * is valid.
 *
 * Defaults are set when an object is written; what was stored before its definition changed gets them when it is read (`crds.ts`).
 * @param scale paths of the scale subresource, if there is one
 * @param fields jsonPaths (`.spec.color`) that field selectors may name
 */
export function customRules(schema: Schema, fields: readonly string[], scale: ScalePaths | undefined): ResourceRules {
  let rules: RuleSet | undefined;
  const withRules = (errors: readonly FieldError[], object: ApiObject, old: ApiObject | undefined): FieldError[] => {
    // Compiled at first use: many definitions never have objects.
    const { root } = (rules ??= compileRules(schema, ''));
    if (root === undefined) return [...errors];
    if (errors.some(({ reason }) => BLOCKING.includes(reason))) return [...errors, RULES_NOT_CHECKED];
    return [...errors, ...checkRules(root, object, old)];
  };
  return {
    defaults: (object) => withDefaults(prune(object, schema), schema) as ApiObject,
    unknownFields: (object) => {
      const unknown: string[] = [];
      prune(object, schema, (path) => unknown.push(path));
      return unknown;
    },
    validate: (object, old) => {
      const lists = old !== undefined && validateLists(old, schema, '').length > 0 ? [] : validateLists(object, schema, '');
      const replicas = validateReplicas(object, [scale?.specReplicasPath, scale?.statusReplicasPath]);
      return withRules([...validateSchema(object, schema, '', old), ...replicas, ...lists], object, old);
    },
    validateStatus: (object, old) => {
      const status = schema.properties?.status;
      if (status === undefined || object.status === undefined) return withRules([], object, old);
      const lists = validateLists(old.status, status, 'status').length > 0 ? [] : validateLists(object.status, status, 'status');
      // A status is validated separately: paths in messages start below it, the errors' fields do not.
      const own = validateSchema(object.status, status, '', old.status).map((error) => ({ ...error, field: below('status', error.field) }));
      return withRules([...own, ...lists, ...validateReplicas(object, [scale?.statusReplicasPath])], object, old);
    },
    fields: Object.fromEntries(fields.map((path) => [path.replace(/^\./, ''), (object: ApiObject) => readPath(object, path)])),
  };
}

function below(part: string, field: string): string {
  return field === '<nil>' || field === '' ? part : `${part}.${field}`;
}

/** As `ValidateScaleSpec` and `ValidateScaleStatus`: replicas are non-negative integers. */
function validateReplicas(object: ApiObject, paths: readonly (string | undefined)[]): FieldError[] {
  return paths.flatMap((path) => {
    if (path === undefined) return [];
    const value = valueAt(object, path);
    if (value === undefined) return [];
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      const type = typeof value === 'number' ? 'float64' : typeof value === 'boolean' ? 'bool' : typeof value;
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return [invalid(path, 0, `${path} accessor error: ${shown} is of the type ${type}, expected int64`)];
    }
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
    return value > MAX_INT_32 ? [invalid(path, value, `should be less than or equal to ${MAX_INT_32}`)] : [];
  });
}

const MAX_INT_32 = 2_147_483_647;

/** The value at a simple path such as `.spec.replicas`. */
function valueAt(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.').slice(1)) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value;
}

/** A scalar at a simple path, as text; undefined if there is none. */
function readPath(object: ApiObject, path: string): string | undefined {
  const value = valueAt(object, path);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

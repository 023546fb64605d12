import type { Environment } from '@marcbachmann/cel-js';
import { defined } from '../../../../../model/defined.ts';
import { forbidden, invalid, notSupported, required } from '../../../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../../../protocols/kube/field-error.ts';
import { hasRules, isObject } from '../schema.ts';
import type { Schema } from '../schema.ts';
import { compile, functionsOf, mentions } from './expression.ts';
import type { Expression } from './expression.ts';
import { readFieldPath } from './field-path.ts';
import { kubernetesEnvironment } from './library.ts';
import { CelTypes } from './values.ts';
import type { CelType } from './values.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** An entry of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** A rule that can be evaluated. */
export interface CompiledRule extends Rule {
  readonly expression: Expression;
  readonly words: Expression | undefined;
  /** A transition rule: evaluated only if there is an old value, unless that is optional. */
  readonly usesOldSelf: boolean;
  /** The path of its errors, relative to the value. */
  readonly below: string;
}

/** The rules of a schema, as a tree. Parts without rules are left out. */
export interface RuleNode {
  readonly type: CelType;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  /** Whether any of these is a transition rule. */
  readonly transitions: boolean;
}

/** The rules of a schema. */
export interface RuleSet {
  /** Absent if there are no rules. */
  readonly root?: RuleNode;
  /** Why a definition with this schema is refused. */
  readonly errors: readonly FieldError[];
}

/**
 * Compiles all rules of a custom resource's schema (`apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go` and
 * `pkg/apis/apiextensions/validation`). Their cost is not estimated: no rule is refused for it.
 * @param path of the schema in its definition
 */
export function compileRules(schema: Schema, path: string): RuleSet {
  if (!hasRules(schema)) return { errors: [] };
  const compiler = new Compiler();
  const root = compiler.compile(schema, path);
  return { ...defined({ root }), errors: compiler.errors };
}

class Compiler {
  readonly errors: FieldError[] = [];
  readonly #env = kubernetesEnvironment();
  readonly #functions = functionsOf(this.#env);
  readonly #environments = new Map<string, Environment>();

  compile(schema: Schema, path: string): RuleNode | undefined {
    // All types must be declared before the first rule is compiled.
    return this.#node(schema, new CelTypes(this.#env).of(schema, true), path, undefined);
  }

  /** @param uncorrelatable the path of an enclosing schema whose old parts can't be matched to new ones */
  #node(schema: Schema, type: CelType | undefined, path: string, uncorrelatable: string | undefined): RuleNode | undefined {
    const entries = schema['x-kubernetes-validations'] ?? [];
    if (type === undefined) {
      if (entries.length > 0) this.#refuse(`${path}.x-kubernetes-validations`, NO_TYPE);
      return undefined;
    }
    for (const at of ['allOf', 'anyOf', 'oneOf'] as const) {
      for (const [index, part] of (schema[at] ?? []).entries()) {
        if ((part['x-kubernetes-validations'] ?? []).length === 0) continue;
        this.errors.push(forbidden(`${path}.${at}[${index}].x-kubernetes-validations`, 'must be empty to be structural'));
      }
    }
    const below = (part: Schema | undefined, partType: CelType | undefined, at: string, unclear = uncorrelatable): RuleNode | undefined =>
      part === undefined ? undefined : this.#node(part, partType, `${path}.${at}`, unclear);
    const rules = entries.flatMap((entry, index) => {
      const rule = this.#rule(readRule(entry), schema, type, `${path}.x-kubernetes-validations[${index}]`, uncorrelatable);
      return rule === undefined ? [] : [rule];
    });
    const properties = new Map<string, RuleNode>();
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const unclear = MAP_TYPES.includes(schema['x-kubernetes-map-type']) ? uncorrelatable : path;
      const node = below(property, type.properties?.get(key), `properties[${key}]`, unclear);
      if (node !== undefined) properties.set(key, node);
    }
    const values = below(inner(schema.additionalProperties), type.element, 'additionalProperties');
    const items = below(schema.items, type.element, 'items', schema['x-kubernetes-list-type'] === 'map' ? uncorrelatable : path);
    const parts = [...properties.values(), ...[values, items].filter((one) => one !== undefined)];
    if (rules.length === 0 && parts.length === 0) return undefined;
    const transitions = rules.some(({ usesOldSelf }) => usesOldSelf) || parts.some((part) => part.transitions);
    return { type, rules, properties, values, items, transitions };
  }

  #rule(rule: Rule, schema: Schema, type: CelType, path: string, uncorrelatable: string | undefined): CompiledRule | undefined {
    const malformed = shapeErrors(rule, schema, path);
    if (malformed.length > 0) {
      this.errors.push(...malformed);
      return undefined;
    }
    const env = this.#environment(type.name, rule.optionalOldSelf === true);
    const expression = compileAs('bool', env, this.#functions, rule.rule);
    if ('problem' in expression) {
      const problem = expression.problem.replace(/^must/, 'cel expression must');
      this.errors.push(invalid(`${path}.rule`, internal(rule), problem));
      return undefined;
    }
    const words = rule.messageExpression === '' ? undefined : compileAs('string', env, this.#functions, rule.messageExpression);
    if (words !== undefined && 'problem' in words) {
      this.errors.push(invalid(`${path}.messageExpression`, internal(rule), `messageExpression ${words.problem}`));
      return undefined;
    }
    const usesOldSelf = mentions(rule.rule, 'oldSelf');
    if (usesOldSelf && uncorrelatable !== undefined) {
      const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      this.errors.push(invalid(`${path}.rule`, rule.rule, problem));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
    }
    return { ...rule, expression, words, usesOldSelf, below: readFieldPath(rule.fieldPath, schema) ?? '' };
  }

  /** The environment with the types of `self` and `oldSelf`. */
  #environment(type: string, optional: boolean): Environment {
    const old = optional ? `optional<${type}>` : type;
    const known = this.#environments.get(old);
    if (known !== undefined) return known;
    const made = this.#env.clone().registerVariable('self', type).registerVariable('oldSelf', old);
    this.#environments.set(old, made);
    return made;
  }

  #refuse(field: string, problem: string): void {
    this.errors.push({ reason: 'InternalError', field, message: `Internal error: ${problem}` });
  }
}

/** Here, unlike in policies, a result whose type is known only at run time will do. */
function compileAs(type: 'bool' | 'string', env: Environment, functions: ReadonlySet<string>, source: string): ReturnType<typeof compile> {
  const compiled = compile(env, functions, source);
  const fits = 'problem' in compiled || compiled.type === type || compiled.type === 'dyn';
  return fits ? compiled : { problem: `must evaluate to a ${type}` };
}

const NO_TYPE = 'internal error: failed to retrieve type information for x-kubernetes-validations';
/** All types of maps whose fields can be matched after an update. */
const MAP_TYPES: readonly (string | undefined)[] = [undefined, 'granular', 'atomic'];

function inner(additional: Schema | boolean | undefined): Schema | undefined {
  return isObject(additional) ? additional : undefined;
}

function readRule(entry: unknown): Rule {
  const fields = isObject(entry) ? entry : {};
  const text = (field: string): string => (typeof fields[field] === 'string' ? fields[field] : '');
  return {
    rule: text('rule'),
    message: text('message'),
    messageExpression: text('messageExpression'),
    reason: fields['reason'] === undefined ? undefined : text('reason'),
    fieldPath: text('fieldPath'),
    optionalOldSelf: typeof fields['optionalOldSelf'] === 'boolean' ? fields['optionalOldSelf'] : undefined,
  };
}

/** A rule as shown in messages: the server's internal type. */
function internal({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: Rule): object {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

/** The errors of a rule besides its expressions. */
function shapeErrors({ rule, message, messageExpression, reason, fieldPath }: Rule, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const blank = (text: string): boolean => text !== '' && text.trim() === '';
  if (rule.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (blank(message)) errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (message.trim().includes('\n')) errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  else if (rule.trim().includes('\n') && message === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (blank(messageExpression)) errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  if (blank(fieldPath)) errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (fieldPath.includes('\n')) errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && readFieldPath(fieldPath, schema) === undefined) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return errors;
}

import { Optional } from '@marcbachmann/cel-js';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../../../model/defined.ts';
import { duplicate, forbidden, invalid, required } from '../../../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../../../protocols/kube/field-error.ts';
import { isObject } from '../schema.ts';
import { RuleError } from './expression.ts';
import type { CompiledRule, RuleNode } from './rules.ts';

/**
 * Most rule evaluations for one write. The real server has a cost budget (`RuntimeCELCostBudget`) that depends on the size of the
 * values; here each evaluation counts as one.
 */
const MAX_EVALUATIONS = 10_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const NO_FIELD = '<nil>';

/** A value before and after an update. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
}

/** Which old value belongs to a value, for ratcheting: its own, or that of the nearest enclosing value that has one. */
interface Correlation {
  readonly own?: Pair | undefined;
  readonly enclosing?: Pair | undefined;
}

/**
 * Evaluates the rules of an object (`apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`). For parts
 * that an update leaves unchanged, only transition rules are evaluated (validation ratcheting): the real server evaluates the others
 * too, but only warns.
 * @param old the object before an update; undefined on creation
 */
export function checkRules(root: RuleNode, object: object, old: object | undefined): FieldError[] {
  const check = new Check();
  check.value(root, object, old, '', old === undefined ? {} : { own: { value: object, old } });
  return check.errors;
}

class Check {
  readonly errors: FieldError[] = [];
  #left = MAX_EVALUATIONS;
  #stopped = false;

  /** @param old the old value for transition rules; undefined if there is none */
  value(node: RuleNode, value: unknown, old: unknown, path: string, correlation: Correlation): void {
    if (this.#stopped || value === null || value === undefined) return;
    const kept = isKept(correlation);
    if (kept && !node.transitions) return;
    for (const rule of node.rules) {
      if (this.#stopped) return;
      if (!kept || rule.usesOldSelf) this.#rule(node, rule, value, old ?? undefined, path);
    }
    if (Array.isArray(value)) this.#items(node, value, old, path, correlation);
    else if (isObject(value)) this.#fields(node, value, isObject(old) ? old : {}, path, correlation);
  }

  #items(node: RuleNode, values: readonly unknown[], old: unknown, path: string, correlation: Correlation): void {
    const { items, type } = node;
    if (items === undefined) return;
    const isMap = type.schema['x-kubernetes-list-type'] === 'map';
    const keys = type.schema['x-kubernetes-list-map-keys'] ?? [];
    const before = isMap && Array.isArray(old) ? old.filter(isObject) : [];
    const ratcheted = isMap && Array.isArray(correlation.own?.old) ? correlation.own.old.filter(isObject) : [];
    const counterpart = (value: unknown, among: readonly Readonly<Record<string, unknown>>[]): unknown =>
      isObject(value) ? among.find((one) => keys.every((key) => isDeepStrictEqual(one[key], value[key]))) : undefined;
    for (const [index, value] of values.entries()) {
      const inner = counterpart(value, ratcheted);
      this.value(items, value, counterpart(value, before), `${path}[${index}]`, within(correlation, value, inner));
    }
  }

  #fields(
    node: RuleNode,
    object: Readonly<Record<string, unknown>>,
    old: Readonly<Record<string, unknown>>,
    path: string,
    correlation: Correlation,
  ): void {
    const before = isObject(correlation.own?.old) ? correlation.own.old : {};
    for (const [key, value] of Object.entries(object)) {
      const inner = within(correlation, value, before[key]);
      if (node.values !== undefined) this.value(node.values, value, old[key], `${path}[${key}]`, inner);
      const property = node.properties.get(key);
      if (property !== undefined) this.value(property, value, old[key], path === '' ? key : `${path}.${key}`, inner);
    }
  }

  #rule({ type }: RuleNode, rule: CompiledRule, value: unknown, old: unknown, path: string): void {
    const optional = rule.optionalOldSelf === true;
    if (rule.usesOldSelf && old === undefined && !optional) return;
    const field = path === '' ? NO_FIELD : path;
    const shown = type.schema.type ?? '';
    this.#left -= 1;
    if (this.#left < 0) {
      this.errors.push(
        invalid(field, shown, 'validation failed due to running out of cost budget, no further validation rules will be run'),
      );
      this.#stopped = true;
      return;
    }
    const before = old === undefined ? undefined : type.toCel(old);
    const oldSelf = optional ? (before === undefined ? Optional.none() : Optional.of(before)) : before;
    const variables = { self: type.toCel(value), ...defined({ oldSelf }) };
    try {
      if (rule.expression.evaluate(variables) === true) return;
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      this.errors.push(invalid(field, shown, errorDetail(error, rule)));
      return;
    }
    const at = rule.below === '' ? field : path === '' ? rule.below : `${path}.${rule.below}`;
    this.errors.push(errorOf(rule, at, shown, messageOf(rule, variables)));
  }
}

/** Whether an update leaves a value, or the nearest enclosing one with an old value, unchanged. */
function isKept({ own, enclosing }: Correlation): boolean {
  const pair = own ?? enclosing;
  return pair !== undefined && pair.old !== undefined && isDeepStrictEqual(pair.value, pair.old);
}

function within(correlation: Correlation, value: unknown, old: unknown): Correlation {
  if (correlation.own === undefined) return correlation;
  return { own: old === undefined ? undefined : { value, old }, enclosing: correlation.own };
}

function errorDetail({ message, noOverload }: RuleError, rule: CompiledRule): string {
  if (!noOverload) return `${message} evaluating rule: ${nameOf(rule)}`;
  return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`;
}

function nameOf({ message, rule }: CompiledRule): string {
  return (message === '' ? rule : message).trim();
}

/** The message for a value that breaks a rule. If the message expression fails, it is the rule's plain message. */
function messageOf(rule: CompiledRule, variables: Readonly<Record<string, unknown>>): string {
  const { message, words } = rule;
  const otherwise = message === '' ? `failed rule: ${nameOf(rule)}` : message.trim();
  if (words === undefined) return otherwise;
  try {
    const made = words.evaluate(variables);
    const text = typeof made === 'string' ? made.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? otherwise : text;
  } catch (error) {
    if (error instanceof RuleError) return otherwise;
    throw error;
  }
}

function errorOf({ reason }: CompiledRule, field: string, shown: string, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, shown);
    default:
      return invalid(field, shown, detail);
  }
}

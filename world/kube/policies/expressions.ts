import { EvaluationError } from '@marcbachmann/cel-js';
import type { Environment } from '@marcbachmann/cel-js';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { compile, functionsOf, typeName, RuleError } from '../validation/custom/cel/expression.ts';
import type { Expression } from '../validation/custom/cel/expression.ts';
import { kubernetesEnvironment } from '../validation/custom/cel/library.ts';
import { AUTHORIZER, everythingAllowed, registerAuthorizer } from './authorizer.ts';
import type { NamedExpression } from './policy.ts';
import { registerTypes, toCel } from './types.ts';
import type { Make } from './types.ts';

/** What expressions see of a request. Absent objects are null. */
export interface Input {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly params: unknown;
  readonly request: JsonObject;
  readonly namespaceObject: JsonObject | undefined;
}

/** The values of one request, for all expressions of a policy. */
export type Values = Readonly<Record<string, unknown>>;

interface Problem {
  readonly problem: string;
}

interface Uses {
  readonly authorizer: boolean;
  readonly variables: boolean;
}

/**
 * A policy's composed variables. The object of one request computes each at its first use. A Map, because from other objects the
 * library also reads their class as a property: a variable may be named `constructor`.
 */
class Variables extends Map<string, unknown> {
  readonly #computed: ReadonlyMap<string, () => unknown>;
  constructor(computed: ReadonlyMap<string, () => unknown>) {
    super();
    this.#computed = computed;
  }
  override get(name: string): unknown {
    return this.#computed.get(name)?.();
  }
  override has(name: string): boolean {
    return this.#computed.has(name);
  }
}

/**
 * Compiles the expressions of one policy. Those that come later see the variables that were added
 * (`apiserver/pkg/admission/plugin/cel/compile.go` and `composition.go`).
 */
export class PolicyExpressions {
  readonly #base = kubernetesEnvironment();
  readonly #functions: ReadonlySet<string>;
  readonly #make: Make;
  readonly #variables = new Map<string, Expression | Problem>();
  readonly #composed: boolean;
  readonly #environments = new Map<string, Environment>();

  /** @param options.composed whether there is the object `variables`, even without fields */
  constructor(options: { readonly hasParams: boolean; readonly composed: boolean }) {
    this.#composed = options.composed;
    this.#make = registerTypes(this.#base);
    registerAuthorizer(this.#base);
    this.#base
      .registerVariable('object', 'dyn')
      .registerVariable('oldObject', 'dyn')
      .registerVariable('request', 'kubernetes.AdmissionRequest')
      .registerVariable('namespaceObject', 'kubernetes.Namespace');
    if (options.hasParams) this.#base.registerVariable('params', 'dyn');
    this.#functions = functionsOf(this.#base);
  }

  /** @param types the accepted types of the result, in the library's names; any if there are none */
  compile(source: string, types: readonly string[], uses: Uses = { authorizer: true, variables: true }): Expression | Problem {
    const compiled = compile(this.#environment(uses), this.#functions, source);
    if ('problem' in compiled || types.length === 0 || types.includes(compiled.type)) return compiled;
    const expected = types.map(typeName);
    const what = expected.length === 1 ? expected.join('') : `one of [${expected.join(' ')}]`;
    return { problem: `must evaluate to ${what} but got ${typeName(compiled.type)}` };
  }

  /** Adds a variable, even if its expression does not compile: then its use fails. */
  addVariable({ name = '', expression = '' }: NamedExpression): Expression | Problem {
    const compiled = this.compile(expression, []);
    this.#variables.set(name, compiled);
    this.#environments.clear();
    return compiled;
  }

  values({ object, oldObject, params, request, namespaceObject }: Input): Values {
    const values: Record<string, unknown> = {
      object: toCel(object),
      oldObject: toCel(oldObject),
      params: toCel(params),
      request: this.#make('AdmissionRequest', request),
      namespaceObject: this.#make('Namespace', namespaceObject),
      authorizer: everythingAllowed(),
    };
    const computed = [...this.#variables].map(([name, variable]) => [name, once(() => valueOf(name, variable, values))] as const);
    values['variables'] = new Variables(new Map(computed));
    return values;
  }

  #environment({ authorizer, variables }: Uses): Environment {
    const key = `${authorizer}/${variables}`;
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const env = this.#base.clone();
    if (authorizer) env.registerVariable('authorizer', AUTHORIZER);
    if (variables && this.#composed) {
      const fields = [...this.#variables].map(([name, one]) => [name, 'problem' in one ? 'dyn' : fieldType(one.type)]);
      env.registerType('kubernetes.variables', { ctor: Variables, fields: Object.fromEntries(fields) as Record<string, string> });
      env.registerVariable('variables', 'kubernetes.variables');
    }
    this.#environments.set(key, env);
    return env;
  }
}

const SIMPLE = ['bool', 'bytes', 'double', 'int', 'null', 'string', 'uint', 'google.protobuf.Duration', 'google.protobuf.Timestamp'];

/** The declared type of a variable: only simple types, and lists and maps of them (`convertCelTypeToDeclType`). */
function fieldType(type: string): string {
  const names = type.split(/[<>, ]+/).filter((name) => name !== '' && name !== 'list' && name !== 'map');
  return names.every((name) => SIMPLE.includes(name) || name === 'dyn') ? type : 'dyn';
}

function valueOf(name: string, variable: Expression | Problem, values: Values): unknown {
  const shown = JSON.stringify(name);
  if ('problem' in variable) throw new EvaluationError(`composited variable ${shown} fails to compile: ${variable.problem}`);
  try {
    return variable.evaluate(values);
  } catch (error) {
    if (error instanceof RuleError) throw new EvaluationError(`composited variable ${shown} fails to evaluate: ${error.message}`);
    throw error;
  }
}

/** Computes a value, or fails, only once. */
function once(compute: () => unknown): () => unknown {
  let result: { readonly value: unknown } | { readonly error: unknown } | undefined;
  return () => {
    result ??= attempt(compute);
    if ('error' in result) throw result.error;
    return result.value;
  };
}

function attempt(compute: () => unknown): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: compute() };
  } catch (error) {
    return { error };
  }
}

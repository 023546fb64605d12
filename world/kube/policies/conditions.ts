import { aggregateText } from '../../../protocols/kube/status.ts';
import { RuleError } from '../validation/custom/cel/expression.ts';
import type { Expression } from '../validation/custom/cel/expression.ts';
import type { PolicyExpressions, Values } from './expressions.ts';
import type { NamedExpression } from './policy.ts';

type Compiled = Expression | { readonly problem: string };

/** An expression of a policy or a webhook. */
export interface Source {
  readonly source: string;
  readonly compiled: Compiled;
}

/** The result of an expression, or its error. */
type Outcome = { readonly value: unknown } | { readonly error: string };

export function outcomeOf({ source, compiled }: Source, values: Values): Outcome {
  if ('problem' in compiled) return { error: `compilation error: ${compiled.problem}` };
  try {
    return { value: compiled.evaluate(values) };
  } catch (error) {
    if (error instanceof RuleError) return { error: `expression '${source}' resulted in error: ${error.message}` };
    throw error;
  }
}

/** The match conditions of a policy or a webhook (`apiserver/pkg/admission/plugin/webhook/matchconditions`). */
export class MatchConditions {
  readonly #conditions: readonly Source[];
  readonly #ignores: boolean;

  /** @param failurePolicy with `Ignore`, a request that can't be judged is not matched */
  constructor(conditions: readonly NamedExpression[], expressions: PolicyExpressions, failurePolicy: string | undefined) {
    this.#ignores = failurePolicy === 'Ignore';
    this.#conditions = conditions.map(({ expression = '' }) => {
      return { source: expression, compiled: expressions.compile(expression, ['bool'], { authorizer: true, variables: true }) };
    });
  }

  /** Whether all conditions hold. One that does not excludes the request even if others fail. */
  match(values: Values): boolean | { readonly problem: string } {
    const errors: string[] = [];
    for (const condition of this.#conditions) {
      const outcome = outcomeOf(condition, values);
      if ('error' in outcome) errors.push(outcome.error);
      else if (outcome.value === false) return false;
    }
    if (errors.length === 0) return true;
    return this.#ignores ? false : { problem: aggregateText(errors) };
  }
}

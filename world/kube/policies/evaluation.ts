import { MatchConditions, outcomeOf } from './conditions.ts';
import type { Source } from './conditions.ts';
import { PolicyExpressions } from './expressions.ts';
import type { Input, Values } from './expressions.ts';
import type { PolicySpec, Validation } from './policy.ts';

/** A message that counts at most so long. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Why a request is to be denied. */
export interface Denial {
  readonly message: string;
  /** Of the Status; by default `Invalid`. */
  readonly reason?: string | undefined;
  /** Whether the binding's actions do not matter: an audit annotation failed. */
  readonly always?: boolean;
}

/** The expressions of a policy, compiled, as `validating.validator`. */
export class Evaluation {
  readonly #expressions: PolicyExpressions;
  readonly #ignores: boolean;
  readonly #conditions: MatchConditions;
  readonly #validations: readonly (Source & { readonly validation: Validation; readonly words: Source | undefined })[];
  readonly #annotations: readonly Source[];

  constructor(spec: PolicySpec) {
    const { variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
    const expressions = new PolicyExpressions({ hasParams: spec.paramKind !== undefined, composed: true });
    for (const variable of variables) expressions.addVariable(variable);
    const read = (source: string, types: readonly string[], authorizer = true): Source => {
      return { source, compiled: expressions.compile(source, types, { authorizer, variables: true }) };
    };
    this.#expressions = expressions;
    this.#ignores = spec.failurePolicy === 'Ignore';
    this.#conditions = new MatchConditions(matchConditions, expressions, spec.failurePolicy);
    this.#validations = validations.map((validation) => {
      const { expression = '', messageExpression = '' } = validation;
      const words = messageExpression === '' ? undefined : read(messageExpression, ['string'], false);
      return { ...read(expression, ['bool']), validation, words };
    });
    this.#annotations = auditAnnotations.map(({ valueExpression = '' }) => read(valueExpression, ['string', 'null']));
  }

  /** @returns an empty list for a request that is allowed, or that the match conditions exclude */
  denials(input: Input): Denial[] {
    // As in the real server, match conditions see no namespace.
    const matching = this.#conditions.match(this.#expressions.values({ ...input, namespaceObject: undefined }));
    if (typeof matching !== 'boolean') return [{ message: matching.problem }];
    if (!matching) return [];
    const values = this.#expressions.values(input);
    const broken = this.#validations.flatMap((one): Denial[] => {
      const outcome = outcomeOf(one, values);
      if ('error' in outcome) return this.#ignores ? [] : [{ message: outcome.error }];
      return outcome.value === true ? [] : [{ message: messageOf(one.validation, one.words, values), reason: one.validation.reason }];
    });
    const failed = this.#annotations.flatMap((one): Denial[] => {
      const outcome = outcomeOf(one, values);
      return 'error' in outcome && !this.#ignores ? [{ message: outcome.error, always: true }] : [];
    });
    return [...broken, ...failed];
  }
}

function messageOf({ expression = '', message = '' }: Validation, words: Source | undefined, values: Values): string {
  const plain = message === '' ? `failed expression: ${expression.trim()}` : message.trim();
  const outcome = words === undefined ? undefined : outcomeOf(words, values);
  const made = outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return made === '' || made.includes('\n') || Buffer.byteLength(made) > MAX_MESSAGE_BYTES ? plain : made;
}

import { Optional, TypeError } from '@marcbachmann/cel-js';
import type { ASTNode, Environment, OverlayContext, TypeDeclaration } from '@marcbachmann/cel-js';
import { fail } from './functions.ts';

/** What the library passes to a macro when a rule is parsed. */
interface Call {
  readonly args: readonly [ASTNode, ASTNode];
  readonly receiver: ASTNode;
}

interface Checker {
  check(node: ASTNode, context: OverlayContext): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  createError(code: string, message: string, node: ASTNode): Error;
}

interface Evaluator {
  run(node: ASTNode, context: OverlayContext): unknown;
}

interface Macro {
  typeCheck(checker: Checker, macro: Macro, context: OverlayContext): TypeDeclaration;
  evaluate(evaluator: Evaluator, macro: Macro, context: OverlayContext): unknown;
}

/** Macros that the library lacks or supports less fully than cel-go. */
export function registerMacros(env: Environment): void {
  env
    .registerFunction('hAs(ast): bool', has)
    .registerFunction('optional.optMap(ast, ast): dyn', optionalMap(false))
    .registerFunction('optional.optFlatMap(ast, ast): dyn', optionalMap(true));
}

/** `has(a.b)`: the library's own accepts only names for `a`, and does not check that the field exists. */
function has({ args: [node] }: Call): Macro {
  return {
    typeCheck: (checker, _, context) => {
      if (node.op !== '.') throw checker.createError('invalid_macro_argument', 'invalid argument to has() macro', node);
      try {
        checker.check(node, context);
      } catch (error) {
        // cel-go reports the macro, not the field inside.
        throw error instanceof TypeError && error.node === node ? new TypeError({ code: error.code, message: error.summary }) : error;
      }
      return checker.getType('bool');
    },
    evaluate: (evaluator, _, context) => {
      if (node.op !== '.') return false;
      const [operand, field] = node.args;
      return holds(evaluator.run(operand, context), field);
    },
  };
}

function holds(value: unknown, field: string): boolean {
  if (value instanceof Optional) return value.hasValue() && holds(value.value(), field);
  if (value instanceof Map) return value.has(field);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.hasOwn(value, field);
  return fail('no such overload');
}

/** `optional.optMap(name, expression)` */
function optionalMap(flat: boolean): (call: Call) => Macro {
  return ({ args: [variable, body], receiver }) => {
    let type: TypeDeclaration | undefined;
    const name = variable.op === 'id' ? variable.args : '';
    return {
      typeCheck: (checker, _, context) => {
        if (name === '')
          throw checker.createError('invalid_macro_argument', 'optMap() variable name must be a simple identifier', variable);
        const optional = checker.check(receiver, context);
        if (optional.kind !== 'optional')
          throw checker.createError('optional_expected', `no such overload: ${optional.name}.optMap`, receiver);
        type = optional.valueType ?? checker.getType('dyn');
        const result = checker.check(body, context.forkWithVariable(name, type));
        return flat ? result : checker.getType(`optional<${result.name}>`);
      },
      evaluate: (evaluator, _, context) => {
        const optional = evaluator.run(receiver, context);
        if (!(optional instanceof Optional) || type === undefined) return fail('no such overload');
        if (!optional.hasValue()) return Optional.none();
        const result = evaluator.run(body, context.forkWithVariable(name, type).setIterValue(optional.value(), evaluator));
        return flat ? result : Optional.of(result);
      },
    };
  };
}

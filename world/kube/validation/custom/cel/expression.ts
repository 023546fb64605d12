import { EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { goRegExp } from '../regexp.ts';

/** A CEL expression that was found sound. */
export interface Expression {
  /** @throws RuleError */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** An expression that went wrong, in the words of cel-go as far as they are known. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  /** No function or operator takes what it was given. */
  readonly noOverload: boolean;
  constructor(message: string, noOverload = false) {
    super(message);
    this.noOverload = noOverload;
  }
}

/** Names that ours have in the environment where the library's own are wrong for Kubernetes; as long as they are, for positions. */
const OURS: Readonly<Record<string, string>> = { has: 'hAs', int: 'iNt', matches: 'mAtches' };
const THEIRS: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(OURS).map(([theirs, ours]) => [ours, theirs]));

/** Literals and comments, which are left alone, or a call of a function. */
const TOKENS =
  /[bB]?[rR][bB]?(?:"""[^]*?"""|'''[^]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|(\.\s*)?\b([A-Za-z_]\w*)(?=\s*\()|[A-Za-z_]\w*/g;

function withOurNames(source: string): string {
  return source.replaceAll(TOKENS, (token, dot: string | undefined, name: string | undefined) => {
    const ours = name === undefined ? undefined : OURS[name];
    // `has` and `int` are functions, `matches` is a method too.
    if (name === undefined || ours === undefined || (dot !== undefined && name !== 'matches')) return token;
    return `${dot ?? ''}${ours}`;
  });
}

/** Whether an expression names a variable. */
export function mentions(source: string, variable: string): boolean {
  let found = false;
  source.replaceAll(TOKENS_AND_FIELDS, (token) => {
    found ||= token === variable;
    return token;
  });
  return found;
}

const TOKENS_AND_FIELDS = new RegExp(`\\.\\s*\\??\\s*[A-Za-z_]\\w*|${TOKENS.source}`, 'g');

/**
 * Parses and checks an expression.
 * @param type what it has to be: `bool` or `string`
 * @returns a text for one that does not compile, as cel-go words it where its words are known
 */
export function compile(env: Environment, source: string, type: 'bool' | 'string'): Expression | { readonly problem: string } {
  try {
    const program = env.parse(withOurNames(source));
    const checked = program.check();
    if (checked.error !== undefined) throw checked.error;
    if (checked.type !== type && checked.type !== 'dyn') return { problem: `must evaluate to a ${type}` };
    const pattern = badPattern(program.ast);
    if (pattern !== undefined) return { problem: issue(source, pattern.start, `invalid matches argument`) };
    return { evaluate: (variables) => evaluate(program, variables) };
  } catch (error) {
    if (error instanceof ParseError) return { problem: issue(source, error.range?.start ?? 0, `Syntax error: ${error.summary}`) };
    if (error instanceof TypeError || error instanceof EvaluationError) {
      return { problem: issue(source, error.range?.start ?? 0, typeProblem(error)) };
    }
    throw error;
  }
}

/** As cel-go prints an issue: where, what, and the line with a mark below. */
function issue(source: string, offset: number, message: string): string {
  const before = source.slice(0, offset).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = source.split('\n')[before.length - 1] ?? '';
  return `compilation failed: ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

function typeProblem({ code, summary }: TypeError | EvaluationError): string {
  const text = plain(summary);
  const name = /: (\S+)$/.exec(text)?.[1] ?? '';
  switch (code) {
    case 'no_such_key':
      return `undefined field '${name}'`;
    case 'unknown_variable':
      return `undeclared reference to '${name}' (in container '')`;
    case 'no_such_overload': {
      const [, left, operator, right] = /^no such overload: (.+) (\S+) (.+)$/.exec(text) ?? [];
      return operator === undefined ? text : `found no matching overload for '${operatorName(operator)}' applied to '(${left ?? ''}, ${right ?? ''})'`;
    }
    case 'no_matching_overload': {
      const [, receiver, called = '', args = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(text) ?? [];
      const applied = receiver === undefined ? `(${args})` : `${receiver}.(${args})`;
      return `found no matching overload for '${called}' applied to '${applied}'`;
    }
    default:
      return text;
  }
}

function operatorName(operator: string): string {
  return operator === 'in' ? '@in' : `_${operator}_`;
}

/** The library's text without names that are ours alone. */
function plain(text: string): string {
  return text
    .replaceAll(/\bObject\d+\b/g, 'object')
    .replaceAll('<', '(')
    .replaceAll(/>(?!=|$| )/g, ')')
    .replaceAll(/\b(?:hAs|iNt|mAtches)\b/g, (name) => THEIRS[name] ?? name);
}

/** The first pattern that Go does not take, where patterns are literals. */
function badPattern(node: unknown): ASTNode | undefined {
  if (Array.isArray(node)) {
    for (const one of node) {
      const bad = badPattern(one);
      if (bad !== undefined) return bad;
    }
    return undefined;
  }
  if (!isNode(node)) return undefined;
  if (node.op === 'rcall' && ['mAtches', 'find', 'findAll'].includes(node.args[0])) {
    const [pattern] = node.args[2];
    if (pattern?.op === 'value' && typeof pattern.args === 'string' && goRegExp(pattern.args) === undefined) return pattern;
  }
  return badPattern(node.args);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function evaluate(program: ReturnType<Environment['parse']>, variables: Readonly<Record<string, unknown>>): unknown {
  try {
    const value: unknown = program(variables);
    return value;
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof TypeError) throw evaluationProblem(error);
    throw error;
  }
}

function evaluationProblem({ code, summary }: TypeError | EvaluationError): RuleError {
  const text = plain(summary);
  switch (code) {
    case 'no_such_key':
      return new RuleError(`no such key: ${/: (\S+)$/.exec(text)?.[1] ?? ''}`);
    case 'index_out_of_bounds':
      return new RuleError(`index out of bounds: ${/index (-?\d+)/.exec(text)?.[1] ?? ''}`);
    case 'modulo_by_zero':
      return new RuleError('modulus by zero');
    case 'numeric_overflow':
      return new RuleError('integer overflow');
    case 'no_such_overload':
    case 'no_matching_overload':
    case 'field_type_mismatch':
    case 'list_item_type_mismatch':
    case 'variable_type_mismatch':
      return new RuleError('no such overload', true);
    default:
      return new RuleError(text);
  }
}

import { EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { goRegExp } from '../regexp.ts';

/** A CEL expression that was parsed and type-checked. */
export interface Expression {
  /** The type of its result, as the library names it: `bool`, `list<string>`, `dyn`. */
  readonly type: string;
  /** @throws RuleError */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** The error of a failed evaluation, with cel-go's message where it is known. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  /** No function or operator accepts the arguments. */
  readonly noOverload: boolean;
  constructor(message: string, noOverload = false) {
    super(message);
    this.noOverload = noOverload;
  }
}

/** Replacement names for functions of the library that differ from Kubernetes. Of the same length, to keep positions. */
const OURS: Readonly<Record<string, string>> = { has: 'hAs', int: 'iNt', matches: 'mAtches' };
const THEIRS: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(OURS).map(([theirs, ours]) => [ours, theirs]));

/** Literals and comments, which are left alone, or function calls. */
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

/** The names of all functions, as used in rules. */
export function functionsOf(env: Environment): ReadonlySet<string> {
  return new Set(env.getDefinitions().functions.map(({ name }) => THEIRS[name] ?? name));
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
 * @param functions the names of all functions, to tell unknown ones from wrong arguments
 * @returns a problem if it does not compile, with cel-go's message where it is known
 */
export function compile(env: Environment, functions: ReadonlySet<string>, source: string): Expression | { readonly problem: string } {
  try {
    const program = env.parse(withOurNames(source));
    const checked = program.check();
    if (checked.error !== undefined) throw checked.error;
    const macro = foreignMacro(source, program.ast);
    if (macro !== undefined) return { problem: macro };
    const pattern = badPattern(program.ast);
    if (pattern !== undefined) return { problem: issue(source, pattern.start, `invalid matches argument`) };
    return { type: checked.type ?? 'dyn', evaluate: (variables) => evaluate(program, variables) };
  } catch (error) {
    // The library's parser goes into itself for each operator without a limit.
    if (error instanceof RangeError) return { problem: issue(source, 0, 'Syntax error: expression recursion limit exceeded') };
    if (error instanceof ParseError) return { problem: issue(source, error.range?.start ?? 0, `Syntax error: ${error.summary}`) };
    if (error instanceof TypeError || error instanceof EvaluationError) {
      return { problem: issue(source, placeOf(source, error), typeProblem(error, functions)) };
    }
    throw error;
  }
}

/** An issue as cel-go prints it: position, message, and the line with a mark below. */
function issue(source: string, offset: number, message: string): string {
  return `compilation failed: ${located(source, offset, message)}`;
}

function located(source: string, offset: number, message: string): string {
  const before = source.slice(0, offset).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = source.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** A node's position in cel-go: its operator, the dot before a field, or the opening bracket of a call. */
function placeOf(source: string, { node, range }: TypeError | EvaluationError): number {
  const start = node?.start ?? range?.start ?? 0;
  if (node === undefined) return start;
  const after = (from: number, text: string): number => Math.max(source.indexOf(text, from), start);
  switch (node.op) {
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return start;
    case 'call':
      return after(start, '(');
    case 'rcall':
      return after(after(node.args[1].end, '.'), '(');
    case '.':
    case '.?':
      return after(node.args[0].end, '.');
    case '[]':
    case '[?]':
      return after(node.args[0].end, '[');
    case '?:':
      return after(node.args[0].end, '?');
    default:
      return after(node.args[0].end, node.op);
  }
}

function typeProblem({ code, summary }: TypeError | EvaluationError, functions: ReadonlySet<string>): string {
  const text = plain(summary);
  const name = /: (\S+)$/.exec(text)?.[1] ?? '';
  const quoted = [...text.matchAll(/'([^']*)'/g)].map(([, part = '']) => part);
  switch (code) {
    case 'no_such_key':
      return `undefined field '${name}'`;
    case 'cannot_index_type':
      return `type '${quoted[0] ?? ''}' does not support field selection`;
    case 'unknown_variable':
      return undeclared(name);
    case 'invalid_comprehension_range':
      return text.replace('Expression', 'expression').replace(/\.$/, '');
    case 'incompatible_ternary_branches':
      return unmatched('_?_:_', `(bool, ${quoted.join(', ')})`);
    case 'invalid_logical_operand':
      return `expected type 'bool' but found '${quoted[0] ?? ''}'`;
    case 'no_such_overload': {
      const [, unary, operand = ''] = /^no such overload: ([!-])(\w.*)$/.exec(text) ?? [];
      if (unary !== undefined) return unmatched(`${unary}_`, `(${operand})`);
      const [, left = '', operator = '', right = ''] = /^no such overload: (.+) (\S+) (.+)$/.exec(text) ?? [];
      return unmatched(operator === 'in' ? '@in' : `_${operator}_`, `(${left}, ${right})`);
    }
    case 'no_matching_overload': {
      const [, receiver, called = '', args = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(text) ?? [];
      if (!functions.has(called)) return undeclared(called);
      return unmatched(called, receiver === undefined ? `(${args})` : `${receiver}.(${args})`);
    }
    default:
      return text;
  }
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function unmatched(called: string, args: string): string {
  return `found no matching overload for '${called}' applied to '${args}'`;
}

/** Types that the real server names differently. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  null: 'null_type',
  Quantity: 'kubernetes.Quantity',
  URL: 'kubernetes.URL',
  IP: 'net.IP',
  CIDR: 'net.CIDR',
  Format: 'kubernetes.NamedFormat',
};

/** A type as cel-go prints it: `list(string)`, `optional_type(dyn)`. */
export function typeName(type: string): string {
  return plain(type).replaceAll(/[\w.]+/g, (name) => (name === 'optional' ? 'optional_type' : (TYPE_NAMES[name] ?? name)));
}

/** The library's text with the original function names, and types as cel-go prints them. */
function plain(text: string): string {
  return text
    .replaceAll(/\bObject\d+\b/g, 'object')
    .replaceAll(/\b(list|map|optional)</g, '$1(')
    .replaceAll(/(?<=[\w)])>/g, ')')
    .replaceAll(/\b(?:hAs|iNt|mAtches)\b/g, (name) => THEIRS[name] ?? name);
}

/** What cel-go says of `cel.bind`, which the library has and Kubernetes 1.34 does not declare. */
function foreignMacro(source: string, ast: ASTNode): string | undefined {
  const call = nodesOf(ast).find((node) => node.op === 'rcall' && node.args[0] === 'bind' && isNamed(node.args[1], 'cel'));
  if (call?.op !== 'rcall') return undefined;
  const [, receiver, [variable, ...rest]] = call.args;
  if (variable?.op !== 'id') return undefined;
  const uses = [variable, ...rest.flatMap(nodesOf).filter((node) => isNamed(node, variable.args))];
  const problems = [
    located(source, receiver.start, undeclared('cel')),
    located(source, source.indexOf('(', receiver.end), undeclared('bind')),
    ...uses.map(({ start }) => located(source, start, undeclared(variable.args))),
  ];
  return `compilation failed: ${problems.join('\n')}`;
}

function isNamed(node: ASTNode, name: string): boolean {
  return node.op === 'id' && node.args === name;
}

/** A node and all below it, in the order of the text. */
function nodesOf(node: unknown): ASTNode[] {
  if (Array.isArray(node)) return node.flatMap(nodesOf);
  return isNode(node) ? [node, ...nodesOf(node.args)] : [];
}

/** The first literal pattern that Go does not accept. */
function badPattern(ast: ASTNode): ASTNode | undefined {
  const patterns = nodesOf(ast).flatMap((node) =>
    node.op === 'rcall' && ['mAtches', 'find', 'findAll'].includes(node.args[0]) ? node.args[2].slice(0, 1) : [],
  );
  return patterns.find(({ op, args }) => op === 'value' && typeof args === 'string' && goRegExp(args) === undefined);
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
    case 'invalid_logical_operand':
    case 'invalid_condition_type':
    case 'field_type_mismatch':
    case 'list_item_type_mismatch':
    case 'variable_type_mismatch':
      return new RuleError('no such overload', true);
    default:
      return new RuleError(text);
  }
}

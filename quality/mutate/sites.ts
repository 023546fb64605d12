import ts from 'typescript';

/** What kind of fault a mutant is. Each replaces one expression, or drops one statement. */
export const KINDS = [
  'comparison',
  'negation',
  'condition-dropped',
  'statement-dropped',
  'call-dropped',
  'element-dropped',
  'default-dropped',
  'constant',
  'arithmetic',
  'call-swapped',
] as const;
export type Kind = (typeof KINDS)[number];

/** A place in a source text where a fault can be planted. */
export interface Site {
  readonly kind: Kind;
  /** Offsets of the expression, or of the statement, in the text. */
  readonly start: number;
  readonly end: number;
  /** What can stand there instead: expressions; or only the empty text, for a statement. At least one. */
  readonly variants: readonly string[];
  /** Whether it only computes a value: it may be computed twice, to see whether the fault makes a difference. */
  readonly pure: boolean;
}

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
]);
const ARITHMETIC: ReadonlyMap<string, string> = new Map([
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
]);
/** Calls that return something like what they are called on. */
const DROPPED_CALLS: ReadonlySet<string> = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed']);
const SWAPPED_CALLS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

/**
 * What crosses neither wire: nobody but the autoscaler's own operator sees log lines and metrics. A call like this, and all that it
 * contains, is left alone.
 */
const UNSEEN_CALL = /(^|\.)(log|logFailure)$|(^|\.)metrics\./;

/** All places in a TypeScript file for faults, in the order of their starts; those that contain others come first. */
export function sitesOf(text: string): Site[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: Site[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || isUnseen(node)) return;
    found.push(...sitesAt(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.sort((a, b) => a.start - b.start || b.end - a.end || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

function isUnseen(node: ts.Node): boolean {
  return ts.isCallExpression(node) && UNSEEN_CALL.test(node.expression.getText());
}

function sitesAt(node: ts.Node): Site[] {
  const site = (kind: Kind, ...variants: string[]): Site[] =>
    variants.length === 0 ? [] : [{ kind, start: node.getStart(), end: node.end, variants, pure: isPure(node) }];
  if (ts.isStatement(node)) return isDroppable(node) ? site('statement-dropped', '') : [];
  if (isInsideChain(node)) return [];
  if (ts.isExpression(node) && isPlainCondition(node)) return [...atValue(node, site), ...site('negation', `!(${node.getText()})`)];
  return atValue(node, site);
}

function atValue(node: ts.Node, site: (kind: Kind, ...variants: string[]) => Site[]): Site[] {
  if (ts.isBinaryExpression(node)) return atBinary(node).flatMap(({ kind, variants }) => site(kind, ...variants));
  if (ts.isCallExpression(node)) return atCall(node).flatMap(({ kind, variants }) => site(kind, ...variants));
  if (ts.isArrayLiteralExpression(node) && !isPattern(node)) return site('element-dropped', ...withoutEach(node));
  if (ts.isNumericLiteral(node) && !isName(node)) return site('constant', ...otherNumbers(node.getText()));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return site('constant', 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) return site('constant', 'true');
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) return site('negation', node.operand.getText());
  return [];
}

type Planned = Pick<Site, 'kind' | 'variants'>;

function atBinary({ left, operatorToken, right }: ts.BinaryExpression): Planned[] {
  const operator = operatorToken.getText();
  const swapped = (other: string): string[] => [`${left.getText()} ${other} ${right.getText()}`];
  const comparison = COMPARISONS.get(operator);
  if (comparison !== undefined) return [{ kind: 'comparison', variants: swapped(comparison) }];
  const arithmetic = ARITHMETIC.get(operator);
  if (arithmetic !== undefined) return [{ kind: 'arithmetic', variants: swapped(arithmetic) }];
  if (operator === '&&' || operator === '||') return [{ kind: 'condition-dropped', variants: [left.getText(), right.getText()] }];
  return operator === '??' ? [{ kind: 'default-dropped', variants: [left.getText()] }] : [];
}

function atCall(call: ts.CallExpression): Planned[] {
  if (!ts.isPropertyAccessExpression(call.expression)) return [];
  const { expression: of, name } = call.expression;
  const planned: Planned[] = [];
  if (DROPPED_CALLS.has(name.text)) planned.push({ kind: 'call-dropped', variants: [of.getText()] });
  const other = SWAPPED_CALLS.get(name.text);
  const args = call.getText().slice(call.expression.end - call.getStart());
  if (other !== undefined) planned.push({ kind: 'call-swapped', variants: [`${of.getText()}.${other}${args}`] });
  return planned;
}

/** Statements without which the others still have all their names. */
function isDroppable(node: ts.Statement): boolean {
  // Elsewhere an `else` could change its `if`.
  if (!ts.isBlock(node.parent) && !ts.isSourceFile(node.parent) && !ts.isCaseOrDefaultClause(node.parent)) return false;
  if (ts.isIfStatement(node)) return node.elseStatement === undefined;
  if (ts.isReturnStatement(node)) return node.expression === undefined;
  if (ts.isExpressionStatement(node)) return !isUnseen(node.expression) && !isSuperCall(node.expression);
  return ts.isContinueStatement(node) || ts.isBreakStatement(node) || ts.isThrowStatement(node);
}

function isSuperCall(node: ts.Expression): boolean {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** Calls of these names only look something up. */
const LOOKING: ReadonlySet<string> = new Set(['has', 'includes', 'startsWith', 'endsWith', 'nowMs', 'monotonicMs', 'min', 'max']);

/** Whether a node is an expression that changes nothing, as far as its text shows. */
function isPure(node: ts.Node): boolean {
  if (ts.isStatement(node) || ts.isFunctionLike(node) || ts.isNewExpression(node) || ts.isAwaitExpression(node)) return false;
  // Arrays and objects are never the same, and spreading an iterator uses it up.
  if (ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node) || ts.isSpreadElement(node)) return false;
  if (ts.isYieldExpression(node) || ts.isDeleteExpression(node) || ts.isTaggedTemplateExpression(node)) return false;
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    if (!ts.isPropertyAccessExpression(expression) || !LOOKING.has(expression.name.text)) return false;
  }
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return false;
  const changes = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken];
  if ((ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) && changes.includes(node.operator)) return false;
  return ts.forEachChild(node, (child) => (isPure(child) ? undefined : true)) !== true;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Something that is asked whether it is true, and is not itself made of something that has its own mutants. */
function isPlainCondition(node: ts.Expression): boolean {
  if (ts.isPrefixUnaryExpression(node) || ts.isBinaryExpression(node) || ts.isParenthesizedExpression(node)) return false;
  const { parent } = node;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  if (ts.isConditionalExpression(parent)) return parent.condition === node;
  if (!ts.isBinaryExpression(parent)) return false;
  const { kind } = parent.operatorToken;
  return kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken;
}

/** `a?.b` in `a?.b.c`: in parentheses, the rest of the chain would not be skipped any more if there is no `a`. */
function isInsideChain(node: ts.Node): boolean {
  return ts.isOptionalChain(node) && ts.isOptionalChain(node.parent) && node.parent.expression === node;
}

/** `[a, b] = ...`: an array literal that takes values. */
function isPattern(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return (ts.isArrayLiteralExpression(parent) || ts.isSpreadElement(parent)) && isPattern(parent);
}

function withoutEach({ elements }: ts.ArrayLiteralExpression): string[] {
  return elements.map((dropped) => {
    const left = elements.filter((element) => element !== dropped);
    return `[${left.map((element) => element.getText()).join(', ')}]`;
  });
}

/** The name of a property, not a value. */
function isName({ parent }: ts.NumericLiteral): boolean {
  return ts.isPropertyAssignment(parent) && ts.isNumericLiteral(parent.name);
}

function otherNumbers(text: string): string[] {
  const value = Number(text.replaceAll('_', ''));
  const isWhole = Number.isInteger(value);
  const others = [value + 1, value - 1, value * 2, value / 2, 0].filter(
    (other) => other !== value && (!isWhole || Number.isInteger(other)),
  );
  return [...new Set(others)].map(String);
}

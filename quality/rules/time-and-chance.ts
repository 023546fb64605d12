import { ESLintUtils } from '@typescript-eslint/utils';
import type { TSESTree } from '@typescript-eslint/utils';
import ts from 'typescript';

/**
 * What a built-in does, by its fully qualified name in TypeScript. Looked up by symbol and not by spelling, so
 * `const { now } = Date`, `globalThis['setTimeout']` and `import { randomUUID as id } from 'crypto'` are found too.
 */
const SOURCES: readonly (readonly [pattern: RegExp, does: string])[] = [
  [/^DateConstructor\.now$|\bPerformance\.(now|timeOrigin)$|\bNodeJS\.(Process\.(hrtime|uptime)|HRTime\.bigint)$/, 'reads the real time'],
  [/^(global|"timers(\/promises)?")\.(setTimeout|setInterval|setImmediate)$|\bScheduler\.(wait|yield)$/, 'waits in real time'],
  [/^Atomics\.wait(Async)?$/, 'waits in real time'],
  [/^Math\.random$|^"crypto"\..*\b(random(Bytes|Fill|FillSync|Int|UUID|UUIDv7)|getRandomValues)$/, 'is random without a seed'],
];

/** The last parts of those names, to skip the type lookup for other identifiers. */
const NAMES =
  /^(now|timeOrigin|hrtime|bigint|uptime|set(Timeout|Interval|Immediate)|wait|waitAsync|yield|timeout|random(Bytes|Fill|FillSync|Int|UUID|UUIDv7)?|getRandomValues)$/;

/** Forbids every source of time, waiting and randomness except those of `runtime/`. */
export const timeAndChance = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    docs: { description: 'time and randomness come only from runtime/, so that a seed reproduces a run' },
    messages: {
      source: '`{{name}}` {{does}}: use the clock or the random stream of runtime/ that is passed in, so that a seed reproduces the run.',
    },
    schema: [],
  },
  defaultOptions: [],
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();

    function report(node: TSESTree.Node, name: string, does: string): void {
      context.report({ node, messageId: 'source', data: { name, does } });
    }

    function check(node: TSESTree.Identifier | TSESTree.StringLiteral, name: string): void {
      if (!NAMES.test(name) || isInType(node)) return;
      const symbol = builtIn(symbolOf(node, name));
      if (symbol === undefined) return;
      const does = doing(symbol);
      if (does !== undefined) report(node, name, does);
    }

    /** The symbol of a name; for a name in a destructuring pattern, the property of the object. */
    function symbolOf(node: TSESTree.Identifier | TSESTree.StringLiteral, name: string): ts.Symbol | undefined {
      const { parent } = node;
      if (parent.type === 'Property' && parent.parent.type === 'ObjectPattern') {
        return parent.key === node ? services.getTypeAtLocation(parent.parent).getProperty(name) : undefined;
      }
      const symbol = services.getSymbolAtLocation(node);
      return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
    }

    function builtIn(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
      const file = symbol?.declarations?.[0]?.getSourceFile();
      if (file === undefined) return undefined;
      return services.program.isSourceFileDefaultLibrary(file) || file.fileName.includes('/@types/node/') ? symbol : undefined;
    }

    function doing(symbol: ts.Symbol): string | undefined {
      // AbortSignal's static side has no name.
      if (symbol.name === 'timeout') {
        return symbol.declarations?.[0]?.getSourceFile().fileName.endsWith('/abortcontroller.d.ts') === true
          ? 'waits in real time'
          : undefined;
      }
      const fullName = checker.getFullyQualifiedName(symbol);
      return SOURCES.find(([pattern]) => pattern.test(fullName))?.[1];
    }

    function isDate(callee: TSESTree.Node): boolean {
      return services.getTypeAtLocation(callee).getSymbol()?.name === 'DateConstructor';
    }

    return {
      Identifier: (node) => {
        check(node, node.name);
      },
      'MemberExpression[computed=true] > Literal.property': (node: TSESTree.StringLiteral) => {
        check(node, String(node.value));
      },
      NewExpression(node) {
        if (node.arguments.length === 0 && isDate(node.callee)) report(node, 'new Date()', 'reads the real time');
      },
      CallExpression(node) {
        if (isDate(node.callee)) report(node, 'Date()', 'reads the real time');
      },
    };
  },
});

function isInType(node: TSESTree.Node): boolean {
  return node.parent?.type === 'TSTypeQuery' || node.parent?.type === 'TSQualifiedName';
}

import { ESLintUtils } from '@typescript-eslint/utils';
import type { TSESTree } from '@typescript-eslint/utils';

/** Mutable types. Constants use `ReadonlyMap`, `ReadonlySet`, `readonly T[]` or `as const` instead. */
const MUTABLE = new Set(['Array', 'Map', 'Set', 'WeakMap', 'WeakSet']);

/**
 * Forbids module state: two trials in one process would share it, and an autoscaler would keep it over a crash, unlike a real
 * process.
 */
export const moduleState = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    docs: { description: 'no mutable state at module level' },
    messages: {
      variable: '`{{name}}` can change and outlives the autoscaler: keep it in an object that is created at each start.',
      collection:
        '`{{name}}` is a mutable {{type}} that outlives the autoscaler: give it a read-only type, or keep it in an object that is created at each start.',
      write: 'this changes `{{name}}`, which outlives the autoscaler: keep it in an object that is created at each start.',
      static:
        'the static `{{name}}` outlives the autoscaler: make it and its type readonly, or keep it in an object that is created at each start.',
    },
    schema: [],
  },
  defaultOptions: [],
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const { sourceCode } = context;

    function mutableTypeOf(node: TSESTree.Node): string | undefined {
      const name = services.getTypeAtLocation(node).getSymbol()?.name;
      return name !== undefined && MUTABLE.has(name) ? name : undefined;
    }

    function checkDeclaration(declaration: TSESTree.VariableDeclaration): void {
      for (const { id } of declaration.declarations) {
        const name = id.type === 'Identifier' ? id.name : sourceCode.getText(id);
        if (declaration.kind !== 'const') {
          context.report({ node: id, messageId: 'variable', data: { name } });
          continue;
        }
        const type = mutableTypeOf(id);
        if (type !== undefined) context.report({ node: id, messageId: 'collection', data: { name, type } });
      }
    }

    /** A write to a property, at any depth, of something that the module declares. */
    function checkWrite(target: TSESTree.Node): void {
      let object = target;
      while (object.type === 'MemberExpression') object = object.object;
      if (object === target || object.type !== 'Identifier') return;
      const { name } = object;
      const scope = sourceCode.getScope(object);
      const variable = scope.references.find(({ identifier }) => identifier === object)?.resolved;
      if (variable?.scope.type === 'module') context.report({ node: target, messageId: 'write', data: { name } });
    }

    return {
      'Program > VariableDeclaration': checkDeclaration,
      'Program > ExportNamedDeclaration > VariableDeclaration': checkDeclaration,
      'PropertyDefinition[static=true]'(node: TSESTree.PropertyDefinition) {
        const name = sourceCode.getText(node.key);
        if (!node.readonly || mutableTypeOf(node) !== undefined) context.report({ node, messageId: 'static', data: { name } });
      },
      AssignmentExpression(node) {
        checkWrite(node.left);
      },
      UpdateExpression(node) {
        checkWrite(node.argument);
      },
      UnaryExpression(node) {
        if (node.operator === 'delete') checkWrite(node.argument);
      },
    };
  },
});

import { ESLintUtils } from '@typescript-eslint/utils';
import type { TSESTree } from '@typescript-eslint/utils';

/** Forbids a second way to leave out a field that is undefined. Conditions on anything else are not its business. */
export const optionalFields = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'suggestion',
    docs: { description: 'fields that may be undefined are left out by `defined()`' },
    messages: {
      spread: 'this leaves out what is undefined: write `...defined({ key: value })`, with `defined()` of model/defined.ts.',
    },
    schema: [],
  },
  defaultOptions: [],
  create(context) {
    return {
      'ObjectExpression > SpreadElement > ConditionalExpression'(node: TSESTree.ConditionalExpression) {
        const { test, consequent, alternate } = node;
        if (test.type !== 'BinaryExpression' || !(isUndefined(test.left) || isUndefined(test.right))) return;
        const [without, fields] = test.operator === '===' ? [consequent, alternate] : [alternate, consequent];
        if (isEmptyObject(without) && fields.type === 'ObjectExpression') context.report({ node, messageId: 'spread' });
      },
    };
  },
});

function isUndefined(node: TSESTree.Node): boolean {
  return node.type === 'Identifier' && node.name === 'undefined';
}

function isEmptyObject(node: TSESTree.Node): boolean {
  return node.type === 'ObjectExpression' && node.properties.length === 0;
}

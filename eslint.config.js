import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { moduleState } from './quality/rules/module-state.ts';
import { optionalFields } from './quality/rules/optional-fields.ts';
import { timeAndChance } from './quality/rules/time-and-chance.ts';

const scaleproof = {
  rules: { 'module-state': moduleState, 'optional-fields': optionalFields, 'time-and-chance': timeAndChance },
};

/** Modules that something starts: a process, a worker, a test run. All others do nothing when they are imported. */
const entries = [
  '**/*.test.ts',
  '**/*.spec.ts',
  '**/main.ts',
  'harness/child.ts',
  'harness/rehearsal.ts',
  'harness/watcher.ts',
  'targets/command/keeper.ts',
  'fidelity/**/record.ts',
  'fidelity/default-roles/generate.ts',
  'fidelity/kubernetes-types/*.ts',
  'bench/**',
  'quality/**',
  'playwright.config.ts',
];

/** Who may print. The others have a logger, or return what there is to say. */
const printers = [
  'cli/**',
  'controller/main.ts',
  'bench/**',
  'quality/**',
  'fidelity/**/record.ts',
  'fidelity/default-roles/generate.ts',
  'fidelity/kubernetes-types/*.ts',
];

export default defineConfig(
  { ignores: ['dist/', 'runs/', 'test-results/'] },
  // A disabled rule that finds nothing any more is an error; that each one has its reason is tested in quality/lint.test.ts.
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { scaleproof },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      'scaleproof/optional-fields': 'error',
      'scaleproof/time-and-chance': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Our objects are closures over their state, made to be taken apart; enums are not erasable, so there are none;
      // and what keeps an asynchronous contract need not await.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  { files: ['runtime/**', 'quality/**'], rules: { 'scaleproof/time-and-chance': 'off' } },
  { files: printers, rules: { 'no-console': 'off' } },
  {
    files: ['controller/**', 'targets/**'],
    ignores: ['**/*.test.ts'],
    rules: { 'scaleproof/module-state': 'error' },
  },
  {
    files: ['**/*.ts'],
    ignores: entries,
    rules: {
      // A catalogue names what it holds; nothing registers itself by being imported.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ImportDeclaration[specifiers.length=0]',
          message: 'An import for its side effect hides who uses whom: import what you use and call it.',
        },
        {
          selector: 'Program > ExpressionStatement > :matches(CallExpression, AssignmentExpression, AwaitExpression, NewExpression)',
          message: 'A module does nothing when it is imported: export a function, and let a catalogue or an entry point use it.',
        },
      ],
    },
  },
);

import { expect, test } from '@playwright/test';
import { problemsText, typedProblems } from './typed-problems.ts';
import { builtInSchema, customSchema } from './typed-schema.ts';
import { loadKubeTypes } from './types.ts';

const types = loadKubeTypes();
const pod = builtInSchema('core.v1.Pod', types);
const gadget = customSchema(
  {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { size: { type: 'integer' }, free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    },
  },
  types,
);

const CASES = [
  ['no problem', pod, { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 1 } } }] } }, []],
  ['an unknown field', pod, { spec: { nothing: 1 } }, ['.spec.nothing: field not declared in schema']],
  ['text instead of a list', pod, { spec: { containers: 'x' } }, ['.spec.containers: expected list, got &{x}']],
  [
    'a number instead of text',
    pod,
    { metadata: { labels: { a: 5 } } },
    ['.metadata.labels.a: expected string, got &value.valueUnstructured{Value:5}'],
  ],
  [
    'one name twice',
    pod,
    { spec: { containers: [{ name: 'a' }, { name: 'a' }] } },
    ['.spec.containers: duplicate entries for key [name="a"]'],
  ],
  [
    'no name',
    pod,
    { spec: { containers: [{ image: 'x' }] } },
    [
      '.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
  ],
  ['text in a custom resource', gadget, { spec: { size: 'x' } }, ['.spec.size: expected numeric (int or float), got string']],
  ['a field that the schema leaves open', gadget, { spec: { free: { any: [1] } } }, []],
] as const;

for (const [title, schema, value, problems] of CASES) {
  test(`${title} in a configuration`, () => expect(typedProblems(value, schema)).toEqual(problems));
}

test('several problems have one line each', () => {
  expect(problemsText(['a', 'b'])).toBe('errors:\n  a\n  b');
  expect(problemsText(['a'])).toBe('a');
});

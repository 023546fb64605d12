import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { formsOf } from './parameters.ts';

for (const { what, schema, takes } of [
  { what: 'a text', schema: z.string(), takes: 'text' },
  { what: 'one of several', schema: z.enum(['a', 'b']), takes: '"a" | "b"' },
  { what: 'a list of one of several', schema: z.array(z.enum(['a', 'b'])), takes: 'list of ("a" | "b")' },
  { what: 'a positive whole number', schema: z.number().int().positive(), takes: 'whole number >= 1' },
  { what: 'any whole number', schema: z.number().int(), takes: 'whole number' },
  { what: 'a share', schema: z.number().min(0).max(1), takes: 'number >= 0 and <= 1' },
  { what: 'a positive number', schema: z.number().positive(), takes: 'number > 0' },
  { what: 'yes or no', schema: z.boolean(), takes: 'true | false' },
  { what: 'an object', schema: z.strictObject({ a: z.string(), b: z.boolean().exactOptional() }), takes: '{a: text, b?: true | false}' },
  { what: 'a map', schema: z.record(z.string(), z.string()), takes: 'map of text' },
]) {
  test(`the values of a parameter: ${what}`, () => {
    const [form] = formsOf(z.strictObject({ it: schema }));
    expect(form?.parameters).toEqual([{ name: 'it', takes, required: true }]);
  });
}

test('defaults and descriptions; examples have the required parameters and those with an example', () => {
  const schema = z.strictObject({
    a: z.number().int().nonnegative().default(3).describe('how many'),
    b: z.array(z.string()).meta({ description: 'which', examples: [['x'], ['y']] }),
    c: z.enum(['p', 'q']),
  });
  expect(formsOf(schema)).toEqual([
    {
      parameters: [
        { name: 'a', takes: 'whole number >= 0', required: false, default: 3, description: 'how many' },
        { name: 'b', takes: 'list of text', required: true, description: 'which' },
        { name: 'c', takes: '"p" | "q"', required: true },
      ],
      examples: [
        { b: ['x'], c: 'p' },
        { b: ['y'], c: 'p' },
      ],
    },
  ]);
});

test('a union has a form for each of its kinds', () => {
  const schema = z.discriminatedUnion('by', [
    z.strictObject({ by: z.literal('size'), size: z.number().int().positive() }),
    z.strictObject({ by: z.literal('name') }),
  ]);
  expect(formsOf(schema).map(({ examples }) => examples)).toEqual([[{ by: 'size', size: 1 }], [{ by: 'name' }]]);
});
